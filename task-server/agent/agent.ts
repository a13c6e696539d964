import { randomBytes } from 'node:crypto';
import type { AgentAddress } from '#proto/files/agent-address.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Log } from '../service/log.ts';
import { findEnvOf } from '../tensorflow/find/tensorflow-finder.ts';
import { tokenAuthorizer } from './control/authorization.ts';
import { ControlServer } from './control/control-server.ts';
import { Keepers } from './control/keepers.ts';
import { Lan, type LanEnv } from './lan/lan.ts';
import { taskVariables } from './machine/component.ts';
import { Machine } from './machine/machine.ts';
import { PairingDesk } from './pairing/pairing-desk.ts';
import { publish, unpublish } from './state/agent-file.ts';
import { machineId } from './state/machine-id.ts';
import { openStateFolder } from './state/state-folder.ts';
import { Supervisor } from './tasks/supervisor.ts';
import { MachineTrust } from './trust/machine-trust.ts';

export interface AgentOptions {
  /** Where Lanflow keeps what belongs to this user; the agent's own folder is in it. */
  readonly dataFolder: string;
  /** Its tasks outlive those who use it. */
  readonly installed: boolean;
  /** The built task program. */
  readonly taskProgram: string;
  /** Where other machines are answered; undefined: they are not. */
  readonly lan: Pick<LanEnv, 'listen' | 'port' | 'isAnnounced'> | undefined;
  readonly log: Log;
}

export interface RunningAgent {
  readonly machine: string;
  readonly address: AgentAddress;
  readonly keepers: Keepers;
  readonly trust: MachineTrust;
  /** Undefined when other machines are not answered. */
  readonly desk: PairingDesk | undefined;
  /** Ends all tasks; resolves when their processes are gone and nothing is left of this start. */
  stop(): Promise<void>;
}

/** Starts the agent of this machine and user. Rejects with a StatusError that says in one line what is in the way. */
export async function startAgent({ dataFolder, installed, taskProgram, lan: place, log }: AgentOptions): Promise<RunningAgent> {
  const startId = randomBytes(8).toString('hex');
  /** Ends what has been opened, the last first. */
  const closers: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const folder = await openStateFolder(dataFolder, startId);
    closers.push(() => folder.remove());
    const id = await machineId(dataFolder);
    // Tasks find what the agent finds.
    const variables = { ...process.env, LANFLOW_DATA: dataFolder };
    const find = findEnvOf(variables);
    const machine = await Machine.look({ id, startId, installed, folder: folder.path, dataFolder, find, log: log.warning });
    const trust = await MachineTrust.open({ dataFolder, machine: id, warn: log.warning });
    const learnLab = (): void => machine.learn({ lab: trust.lab });
    learnLab();
    trust.listen(learnLab);
    const desk = place && new PairingDesk({ machine: id, trust, log: log.warning });
    const supervisor = new Supervisor({
      program: taskProgram,
      folder: folder.path,
      variables: () => taskVariables(variables, dataFolder),
      tls: () => trust.files,
    });
    const keepers = new Keepers();
    const address: AgentAddress = {
      pid: process.pid,
      startId,
      socket: folder.socket,
      token: randomBytes(24).toString('base64url'),
      installed,
      version: packageJson.version,
    };
    const env = { machine, supervisor, trust, desk, keepers, log };
    const control = new ControlServer({ ...env, door: 'local', authorize: tokenAuthorizer(address.token) });
    closers.push(async () => control.stop());
    await control.listen(folder.socket);
    closers.push(() => supervisor.close());
    await publish(folder.path, address);
    closers.push(() => unpublish(folder.path, address));
    if (place && desk) {
      const lan = await Lan.open({ ...env, ...place, dataFolder, desk });
      closers.push(() => lan.close());
      await publish(folder.path, { ...address, port: lan.port });
    }
    return { machine: id, address, keepers, trust, desk, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
