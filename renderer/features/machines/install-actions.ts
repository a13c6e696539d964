import type { InstallInfo, SshTarget } from '#proto/ipc/contract.ts';
import type { App } from '../../stores/app.ts';
import { plainTarget } from '../../stores/machine-installs.ts';

/** Ends the work on these, and takes what is through off the list. */
export async function forget({ core, toasts }: App, installs: readonly SshTarget[]): Promise<void> {
  await toasts.guard(() => core.call('machines.cancelInstall', { targets: installs.map(plainTarget) }));
}

/** Those whose keys nobody has vouched for yet. */
export function unknownKeys(installs: readonly InstallInfo[]): readonly InstallInfo[] {
  return installs.filter(({ stage }) => stage === 'host key');
}
