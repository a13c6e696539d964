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
import { KeptTasks } from './tasks/kept/kept-tasks.ts';
import { KEPT_LINES } from './tasks/log-ring.ts';
import { Supervisor } from './tasks/supervisor.ts';
import { MachineTrust } from './trust/machine-trust.ts';

export interface AgentOptions {
  /** Where Lanflow keeps what belongs to this user; the agent's own folder is in it. */
  readonly dataFolder: string;
  /** Its tasks outlive those who use it. */
  readonly installed: boolean;
  /** They outlive it, too: the agent that is started next has them. */
  readonly keepsTasks: boolean;
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
  /** Ends without the tasks; for an agent that keeps them. */
  leave(): Promise<void>;
}

/** Starts the agent of this machine and user. Rejects with a StatusError that says in one line what is in the way. */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const { dataFolder, installed, keepsTasks, taskProgram, lan: place, log } = options;
  const startId = randomBytes(8).toString('hex');
  /** Ends what has been opened, the last first. */
  const closers: ((leavesTasks: boolean) => Promise<void>)[] = [];
  const close = async (leavesTasks: boolean): Promise<void> => {
    for (const each of closers.splice(0).reverse()) await each(leavesTasks);
  };
  try {
    const folder = await openStateFolder(dataFolder, startId);
    closers.push(() => folder.remove());
    const id = await machineId(dataFolder);
    // Tasks find what the agent finds.
    const variables = { ...process.env, LANFLOW_DATA: dataFolder };
    const find = findEnvOf(variables);
    const machine = await Machine.look({ id, startId, installed, keepsTasks, folder: folder.path, dataFolder, find, log: log.warning });
    const trust = await MachineTrust.open({ dataFolder, machine: id, warn: log.warning });
    const learnLab = (): void => machine.learn({ lab: trust.lab });
    learnLab();
    trust.listen(learnLab);
    const desk = place && new PairingDesk({ machine: id, trust, log: log.warning });
    const kept = keepsTasks ? new KeptTasks({ folder: folder.path, warn: log.warning, keptLines: KEPT_LINES }) : undefined;
    const supervisor = new Supervisor({
      program: taskProgram,
      folder: folder.path,
      variables: () => taskVariables(variables, dataFolder),
      yields: installed,
      tls: () => trust.files,
      kept,
    });
    const keepers = new Keepers();
    const address: AgentAddress = {
      pid: process.pid,
      startId,
      socket: folder.socket,
      token: randomBytes(24).toString('base64url'),
      ...{ installed, keepsTasks },
      version: packageJson.version,
    };
    const env = { machine, supervisor, trust, desk, keepers, log };
    const control = new ControlServer({ ...env, door: 'local', authorize: tokenAuthorizer(address.token) });
    closers.push(async () => control.stop());
    await control.listen(folder.socket);
    closers.push((leavesTasks) => (leavesTasks ? supervisor.leave() : supervisor.close()));
    // Only the agent that is the one may go on with them, and only when they are there may others find it.
    await publish(folder.path, address, () => supervisor.adopt());
    // One that is missed for a moment only is waited for by those who find its address.
    closers.push(async (leavesTasks) => {
      if (!leavesTasks) await unpublish(folder.path, address);
    });
    if (place && desk) {
      const lan = await Lan.open({ ...env, ...place, dataFolder, desk });
      closers.push(() => lan.close());
      await publish(folder.path, { ...address, port: lan.port });
    }
    return { machine: id, address, keepers, trust, desk, stop: () => close(false), leave: () => close(true) };
  } catch (error) {
    await close(keepsTasks);
    throw error;
  }
}
