import type { Installed } from './install.ts';
import type { Uninstalled } from './uninstall.ts';

const CLOCK_MS = 60_000;

/** What is there now. */
export function installedMessage({ service, isUpgrade, leftover, clockOffset }: Installed): string {
  const how =
    service === 'systemd'
      ? 'The agent runs there as a service of the user, and starts with the machine'
      : 'The agent runs there on its own, without systemd: after a restart of the machine, install it again';
  const minutes = Math.round(Math.abs(clockOffset) / CLOCK_MS);
  const clock = minutes === 0 ? '' : `. The clock of the machine is ${minutes} min ${clockOffset > 0 ? 'ahead' : 'behind'}`;
  const rest = leftover === '' ? '' : `. ${leftover}`;
  return `${how}${isUpgrade ? '. It has replaced another version' : ''}${clock}${rest}`;
}

export function uninstalledMessage({ wasInstalled, hasOthers }: Uninstalled): string {
  if (!wasInstalled) return 'Lanflow was not installed there';
  return hasOthers ? "The agent is gone; the files of the user's own Lanflow there have stayed" : 'Nothing of Lanflow is left there';
}
