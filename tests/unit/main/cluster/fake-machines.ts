import { create } from '@bufbuild/protobuf';
import {
  CertificateRequestSchema,
  MachineLoadSchema,
  OpenNetworkSchema,
  ReachSchema,
  type Task,
  TaskSchema,
  type TaskStatus,
} from '#proto/generated/lanflow/agent_pb.ts';
import { Code, invalidArgument, notFound, type StatusError, unavailable } from '#proto/wire/status.ts';
import type { ClusterMachine, ClusterMachines } from '../../../../main/cluster/task-control.ts';
import type { AgentClient, TaskSetup } from '../../../../main/machines/agent-client.ts';
import { KnownTasks } from '../../../../main/machines/known-tasks.ts';

/** A machine whose agent keeps tasks in memory. What it is asked to do is in `asked`. */
export class FakeMachine {
  readonly id: string;
  readonly asked: string[] = [];
  readonly known = new KnownTasks();
  isOnline = true;
  /** Its tasks do not see what their files say. */
  isDeaf = false;
  tasksGoOn = false;
  /** What becomes of connections from here. */
  reach = 'open';
  /** What ports are waited for. */
  slowness: Promise<unknown> = Promise.resolve();
  startId = 'first';
  /** Why its engines cannot be used, by name; empty when they can. */
  engines: Readonly<Record<string, string>> = {};
  /** The connection breaks while the next task is being started, and is there again at once. */
  losesNextStart = false;
  /** What becomes of the next tasks that are started; `running` when there is none. */
  readonly fates: { state: string; code?: number; reason?: string }[] = [];
  readonly #tell: () => void;
  #revision = 0;
  #port = 7000;

  constructor(id: string, tell: () => void) {
    this.id = id;
    this.#tell = tell;
  }

  get error(): StatusError | undefined {
    return this.isOnline ? undefined : unavailable(`${this.id} was unplugged`);
  }

  get machine(): ClusterMachine['machine'] {
    const engine = Object.entries(this.engines).map(([name, problem]) => ({ name, problem }));
    return { startId: this.startId, hostName: this.id, engine } as unknown as ClusterMachine['machine'];
  }

  get load() {
    return create(MachineLoadSchema, { address: [`${this.id}.example`], network: ['10.0.0.5/24'] });
  }

  get tasks() {
    return this.known.byId;
  }

  get agent(): AgentClient {
    if (!this.isOnline) throw unavailable(`${this.id} was unplugged`);
    return {
      reservePorts: async (wanted) => {
        this.asked.push(`reserve ${wanted}`);
        await this.slowness;
        return wanted.map((port) => port || ++this.#port);
      },
      startTask: async (setup) => {
        if (!this.losesNextStart) return this.#begin('start', setup);
        this.losesNextStart = false;
        this.asked.push('start');
        throw unavailable('Channel closed');
      },
      restartTask: async (id, setup) => this.#begin('restart', setup ?? (this.tasks.get(id)?.setup as TaskSetup)),
      stopTask: async (id) => {
        this.asked.push(`stop ${id}`);
        const startId = this.tasks.get(id)?.setup.startId;
        // Told by an event that comes after the answer, and before one of another start.
        setTimeout(() => this.tasks.get(id)?.setup.startId === startId && this.forget(id), 5);
      },
      setRestart: async (id, restart) => {
        this.asked.push(`restart=${restart} ${id}`);
        return this.#tellStatus(id, 'running');
      },
      disturbTask: async (id, how) => this.#tellStatus(id, how === 'pause' ? 'paused' : 'running'),
      setOpening: async (id, opening) => {
        this.asked.push(opening ? `open ${id}` : `close ${id}`);
        const told = opening ? [{ network: opening.network, remaining: opening.seconds * 1000 }] : [];
        const state = this.tasks.get(id)?.status.state ?? '';
        if (!this.isDeaf) setImmediate(() => this.#tellStatus(id, state, { opening: told.map((each) => create(OpenNetworkSchema, each)) }));
        return this.#tellStatus(id, state);
      },
      logs: async () => ({ lines: [], total: 0 }),
      checkReach: async (addresses) => {
        if (addresses.length > 64) throw invalidArgument('too many');
        return addresses.map((address) => create(ReachSchema, { address, outcome: this.reach }));
      },
      requestCertificate: async () => create(CertificateRequestSchema),
      setTrust: async () => undefined,
      renew: async () => '',
      renewals: async () => [],
      answerRenewal: async () => undefined,
      events: async () => undefined,
      close: () => undefined,
    };
  }

  learn(task: Task): void {
    this.known.learn(task);
    this.#tell();
  }

  forget(id: string): void {
    this.known.remove(id);
    this.#tell();
  }

  /** Its agent is started anew, with nothing. */
  replaceAgent(): void {
    this.startId = 'second';
    this.known.reset([]);
    this.#tell();
  }

  /** Its agent is started anew, and has the tasks of the one before. */
  continueAgent(): void {
    this.startId = 'second';
    this.#revision = 0;
    this.known.reset(
      [...this.tasks.values()].map(({ id, setup, status }) => create(TaskSchema, { id, setup, status: { ...status, revision: 0 } })),
    );
    this.#tell();
  }

  become(id: string, state: string, more: Partial<TaskStatus> = {}): void {
    this.#tellStatus(id, state, more);
  }

  #begin(what: string, setup: TaskSetup): Task {
    const id = `${setup.cluster}/job:${setup.job}/task:${setup.index}`;
    this.asked.push(`${what} ${id}`);
    const spec = JSON.parse(setup.spec ?? '{}') as Record<string, Record<number, string>>;
    const address = spec[setup.job ?? '']?.[setup.index ?? 0] ?? '';
    const task = (state: string, more = {}) =>
      create(TaskSchema, {
        id,
        setup,
        status: { id, state, address, revision: ++this.#revision, startedAt: state === 'running' ? 1 : 0, heartbeatAge: -1, ...more },
      });
    const fate = this.fates.shift() ?? { state: 'running' };
    setImmediate(() => this.learn(task(fate.state, fate)));
    return task('starting');
  }

  #tellStatus(id: string, state: string, more: Partial<TaskStatus> = {}): Task {
    const known = this.tasks.get(id);
    if (!known) throw notFound(`no task ${id}`);
    const task = create(TaskSchema, { id, setup: known.setup, status: { ...known.status, state, ...more, revision: ++this.#revision } });
    this.learn(task);
    return task;
  }
}

/** A port was taken by another program between its choice and its use. */
export const portTaken = { state: 'lost', code: Code.ALREADY_EXISTS, reason: 'already in use' };

export function fakeMachines(all: readonly FakeMachine[]): ClusterMachines {
  const find = (id: string) => all.find((each) => each.id === id);
  return {
    has: (id) => find(id) !== undefined,
    get: (id) => {
      const machine = find(id);
      if (!machine) throw notFound(`no machine ${id}`);
      return machine;
    },
    here: all[0]?.id ?? '',
    joinLab: async () => undefined,
    hostOf: (id, among) => (among.length === 1 ? '127.0.0.1' : `${id}.lab`),
  };
}
