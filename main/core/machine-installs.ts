import { toStatusError } from '#proto/wire/status.ts';
import { InstallQueue, type InstallQueueOptions } from '../install/install-queue.ts';
import type { Machines } from '../machines/machines.ts';

export interface MachineInstallsEnv extends Omit<InstallQueueOptions, 'onInstalled' | 'onUninstalled'> {
  readonly machines: Pick<Machines, 'add' | 'remove' | 'here'>;
  readonly log: (line: string) => void;
}

/** The work by SSH that goes on in this core. The list of machines follows it: multicast would tell a little later, or never. */
export class MachineInstalls extends InstallQueue {
  constructor({ machines, log, ...options }: MachineInstallsEnv) {
    const follow = (change: Promise<unknown>): void => void change.catch((error: unknown) => log(toStatusError(error).message));
    super({
      ...options,
      onInstalled: ({ host }) => follow(machines.add(host)),
      onUninstalled: (machine) => {
        if (machine !== machines.here) follow(machines.remove(machine));
      },
    });
  }
}
