import type { Installed } from './install.ts';
import type { ServiceKind } from './remote/steps.ts';
import type { Uninstalled } from './uninstall.ts';

const CLOCK_MS = 60_000;

const HOW: Readonly<Record<ServiceKind, string>> = {
  systemd: 'The agent runs there as a service of the user, and starts with the machine',
  launchd: 'The agent runs there as a service of the user, and starts when its user logs in, by SSH too',
  'scheduled task': 'The agent runs there as a scheduled task, and starts with the machine',
  'logon task':
    'The agent runs there, and starts again when its user logs in. Without the rights of an administrator the firewall there was left as it is; it may keep the lab out',
  detached: 'The agent runs there on its own, without a service: after a restart of the machine, install it again',
};

/** What is there now. */
export function installedMessage({ service, isUpgrade, leftover, clockOffset }: Installed): string {
  const minutes = Math.round(Math.abs(clockOffset) / CLOCK_MS);
  const clock = minutes === 0 ? '' : `. The clock of the machine is ${minutes} min ${clockOffset > 0 ? 'ahead' : 'behind'}`;
  const rest = leftover === '' ? '' : `. ${leftover}`;
  return `${HOW[service]}${isUpgrade ? '. It has replaced another version' : ''}${clock}${rest}`;
}

export function uninstalledMessage({ wasInstalled, hasOthers }: Uninstalled): string {
  if (!wasInstalled) return 'Lanflow was not installed there';
  return hasOthers ? "The agent is gone; the files of the user's own Lanflow there have stayed" : 'Nothing of Lanflow is left there';
}
