import { randomBytes } from 'node:crypto';
import type { AgentAddress } from '#proto/files/agent-address.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Log } from '../service/log.ts';
import { tokenAuthorizer } from './control/authorization.ts';
import { serveControl } from './control/control-server.ts';
import { Keepers } from './control/keepers.ts';
import { Machine } from './machine/machine.ts';
import { publish, unpublish } from './state/agent-file.ts';
import { machineId } from './state/machine-id.ts';
import { openStateFolder } from './state/state-folder.ts';
import { Supervisor } from './tasks/supervisor.ts';

export interface AgentOptions {
  /** Where Lanflow keeps what belongs to this user; the agent's own folder is in it. */
  readonly dataFolder: string;
  /** Its tasks outlive those who use it. */
  readonly installed: boolean;
  /** The built task program. */
  readonly taskProgram: string;
  readonly log: Log;
}

export interface RunningAgent {
  readonly machine: string;
  readonly address: AgentAddress;
  readonly keepers: Keepers;
  /** Ends all tasks; resolves when their processes are gone and nothing is left of this start. */
  stop(): Promise<void>;
}

/** Starts the agent of this machine and user. Rejects with a StatusError that says in one line what is in the way. */
export async function startAgent({ dataFolder, installed, taskProgram, log }: AgentOptions): Promise<RunningAgent> {
  const startId = randomBytes(8).toString('hex');
  const folder = await openStateFolder(dataFolder, startId);
  const address: AgentAddress = {
    pid: process.pid,
    startId,
    socket: folder.socket,
    token: randomBytes(24).toString('base64url'),
    installed,
    version: packageJson.version,
  };
  const supervisor = new Supervisor(taskProgram);
  const keepers = new Keepers();
  try {
    const id = await machineId(dataFolder);
    const machine = await Machine.look({ id, startId, installed, folder: folder.path, log: log.warning });
    const control = await serveControl(folder.socket, { machine, supervisor, keepers, authorize: tokenAuthorizer(address.token), log });
    const close = async (): Promise<void> => {
      await supervisor.close();
      control.stop();
      await folder.remove();
    };
    try {
      await publish(folder.path, address);
    } catch (error) {
      await close();
      throw error;
    }
    return {
      machine: id,
      address,
      keepers,
      stop: async () => {
        await unpublish(folder.path, address);
        await close();
      },
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}
