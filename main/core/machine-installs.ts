import type { InstallInfo, SshTarget } from '#proto/ipc/contract.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { InstallQueue, type InstallQueueOptions } from '../install/install-queue.ts';
import type { Machines } from '../machines/machines.ts';

export interface MachineInstallsEnv extends Omit<InstallQueueOptions, 'onChange'> {
  readonly machines: Pick<Machines, 'add' | 'remove' | 'now'>;
  readonly onChange: (installs: readonly InstallInfo[]) => void;
  readonly log: (line: string) => void;
}

/** The work by SSH that goes on in this core; the list of machines follows what has become of it. */
export class MachineInstalls extends InstallQueue {
  constructor({ machines, onChange, log, ...options }: MachineInstallsEnv) {
    const seen = new Set<string>();
    super({
      ...options,
      onChange: (infos) => {
        for (const info of infos) {
          const key = `${info.kind} ${info.host} ${info.port}`;
          if (info.stage !== 'done') seen.delete(key);
          else if (!seen.has(key)) void follow(info, machines).catch((error: unknown) => log(toStatusError(error).message));
          if (info.stage === 'done') seen.add(key);
        }
        onChange(infos);
      },
    });
  }
}

/** What multicast would tell a little later, or never. */
async function follow({ kind, host }: SshTarget & Pick<InstallInfo, 'kind'>, machines: MachineInstallsEnv['machines']): Promise<void> {
  if (kind === 'install') {
    await machines.add(host);
    return;
  }
  const gone = machines.now().find(({ isThis, name, addresses }) => !isThis && (name === host || addresses.includes(host)));
  if (gone && gone.state !== 'installable') await machines.remove(gone.id);
}
