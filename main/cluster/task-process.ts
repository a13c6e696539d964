import type { TaskDraft, TaskInfo } from '#proto/ipc/contract.ts';
import { taskName } from '#proto/wire/device-name.ts';
import { failedPrecondition, toStatusError, unimplemented } from '#proto/wire/status.ts';
import { type ClusterSpec, LocalTask } from '../client/index.ts';
import { watchHeartbeat } from './heartbeat.ts';
import { processMemory } from './process-memory.ts';
import { nextStatus, STOPPED, type TaskEvent, type TaskStatus } from './task-status.ts';

export interface TaskProcessEnv {
  readonly onChange: () => void;
  readonly onLog: (task: string, line: string) => void;
}

/** After this time a start that is not done is explained. */
const EXPLAIN_MS = 1500;
const SIGNALS = { kill: 'SIGKILL', pause: 'SIGSTOP', resume: 'SIGCONT' } as const;

/** One task of a cluster on this machine: its process, which may come and go, and what is known of it. */
export class TaskProcess {
  readonly name: string;
  readonly job: string;
  readonly draft: TaskDraft;
  readonly #env: TaskProcessEnv;
  #status: TaskStatus = STOPPED;
  #address = '';
  #memory = 0;
  #task: LocalTask | undefined;
  #lastLine = '';

  constructor(job: string, draft: TaskDraft, env: TaskProcessEnv) {
    this.job = job;
    this.draft = draft;
    this.name = taskName(job, draft.index);
    this.#env = env;
  }

  get info(): TaskInfo {
    const { state, reason, startedAt, incarnation, answeredAt } = this.#status;
    const heartbeatAge = answeredAt === 0 ? -1 : Math.max(0, Date.now() - answeredAt);
    return {
      ...this.draft,
      ...{ name: this.name, state, reason, startedAt, incarnation, heartbeatAge },
      ...{ address: this.#address, memory: this.#memory, stepsPerSecond: -1 },
    };
  }

  /** Resolves when it listens; rejects as `LocalTask.start` does, the task being lost then. */
  async start(spec: ClusterSpec, signal: AbortSignal): Promise<void> {
    this.#lastLine = '';
    this.#address = spec.address(this.job, this.draft.index);
    this.#learn({ kind: 'started' });
    const since = Date.now();
    const explaining = setInterval(() => this.#learn({ kind: 'waits', reason: this.#startReason(Date.now() - since) }), EXPLAIN_MS);
    try {
      this.#task = await this.#spawn(spec, signal);
    } catch (error) {
      this.#learn(signal.aborted ? { kind: 'stopped' } : { kind: 'ended', reason: toStatusError(error).message });
      throw error;
    } finally {
      clearInterval(explaining);
    }
    this.#learn({ kind: 'listens', at: Date.now() });
    this.#watch(this.#task);
  }

  /** Ends its process; resolves when it is gone. */
  async stop(): Promise<void> {
    const task = this.#task;
    this.#task = undefined;
    // A process that stands still would not hear the request to end.
    if (task?.pid !== undefined && this.#status.state === 'paused') process.kill(task.pid, SIGNALS.resume);
    await task?.stop();
    this.#memory = 0;
    this.#learn({ kind: 'stopped' });
  }

  /** Does to its process what may happen to one in a lab. */
  disturb(how: 'kill' | 'pause' | 'resume'): void {
    const pid = this.#task?.pid;
    if (pid === undefined || this.#status.startedAt === 0) throw failedPrecondition(`${this.name} does not run`);
    if (process.platform === 'win32' && how !== 'kill') throw unimplemented('Windows cannot pause a process');
    process.kill(pid, SIGNALS[how]);
    if (how !== 'kill') this.#learn({ kind: how === 'pause' ? 'paused' : 'resumed' });
  }

  #spawn(cluster: ClusterSpec, signal: AbortSignal): Promise<LocalTask> {
    const { index, engine, virtualGpus } = this.draft;
    const flags = ['--engine', engine, ...(virtualGpus > 0 ? ['--virtual-devices', `GPU=${virtualGpus}`] : [])];
    const onLog = (line: string): void => {
      this.#lastLine = line;
      this.#env.onLog(this.name, line);
    };
    return LocalTask.start({ cluster, job: this.job, index, flags, signal, onLog });
  }

  #watch(task: LocalTask): void {
    const ended = new AbortController();
    void task.ended.then((how) => {
      ended.abort();
      if (this.#task !== task) return;
      this.#task = undefined;
      this.#memory = 0;
      this.#learn({ kind: 'ended', reason: `its process has ended (${how}): restart the task to go on` });
    });
    const onAnswer = (incarnation: string): void => {
      if (this.#task !== task) return;
      this.#learn({ kind: 'answered', incarnation, at: Date.now() });
      void processMemory(task.pid ?? 0).then((bytes) => {
        if (this.#task === task) this.#memory = bytes;
      });
    };
    const onSilence = (reason: string): void => {
      if (this.#task === task) this.#learn({ kind: 'silent', reason });
    };
    void watchHeartbeat(this.#address, { onAnswer, onSilence }, ended.signal);
  }

  #startReason(milliseconds: number): string {
    const said = this.#lastLine === '' ? 'it has said nothing so far' : `it last said: ${this.#lastLine}`;
    return `its process has been starting for ${Math.round(milliseconds / 1000)} s; ${said}`;
  }

  #learn(event: TaskEvent): void {
    const before = this.#status;
    this.#status = nextStatus(before, event);
    const isNews =
      before.state !== this.#status.state || before.reason !== this.#status.reason || before.incarnation !== this.#status.incarnation;
    if (isNews) this.#env.onChange();
  }
}
