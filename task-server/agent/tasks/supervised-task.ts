import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { deadlineExceeded, failedPrecondition, type StatusError, toStatusError, unimplemented } from '#proto/wire/status.ts';
import { type Beat, watchHeartbeat } from './heartbeat.ts';
import { LogRing } from './log-ring.ts';
import { processMemory } from './process-memory.ts';
import { RestartPolicy } from './restart-policy.ts';
import { StepRate } from './step-rate.ts';
import { type LaunchOptions, TaskChild } from './task-child.ts';
import { TaskOpening } from './task-opening.ts';
import { addressOf, flagsOf, nameOf, type Setup, taskId } from './task-setup.ts';
import { type KnownStatus, nextStatus, STOPPED, type TaskEvent } from './task-status.ts';

export interface SupervisedTaskEnv {
  /** The built task program. */
  readonly program: string;
  /** Of its process, when that starts. */
  readonly variables: () => LaunchOptions['variables'];
  /** What this machine shows to its lab, if it belongs to one. */
  readonly tls: () => TlsFiles | undefined;
  /** The agent's own, for the files by which tasks are opened. */
  readonly folder: string;
  /** Gives up what keeps the task's port from other programs. */
  readonly freePort: (port: number) => Promise<void>;
  readonly onStatus: () => void;
  readonly onLine: () => void;
}

export type Disturbance = 'kill' | 'pause' | 'resume';

/** After this time a start that is not done is explained. */
const EXPLAIN_MS = 1500;
/** A start that takes longer has failed. TensorFlow alone may need 10 s from a cold disk. */
const START_LIMIT_MS = 20_000;
const SIGNALS = { kill: 'SIGKILL', pause: 'SIGSTOP', resume: 'SIGCONT' } as const;

/** One task of this machine: its process, which may come and go, and what is known of it. */
export class SupervisedTask {
  readonly id: string;
  readonly log = new LogRing();
  readonly #env: SupervisedTaskEnv;
  readonly #policy = new RestartPolicy();
  readonly #opening: TaskOpening;
  #setup: Setup;
  #address: string;
  #status: KnownStatus = STOPPED;
  #restarts = -1;
  #memory = 0;
  /** Of the present process. */
  #lastWords = '';
  #steps = new StepRate();
  #child: TaskChild | undefined;
  #isWanted = true;
  #restartTimer: NodeJS.Timeout | undefined;
  /** Settles when all processes that were given up are gone. */
  #gone: Promise<unknown> = Promise.resolve();

  constructor(setup: Setup, env: SupervisedTaskEnv) {
    this.id = taskId(setup);
    this.#setup = setup;
    this.#address = addressOf(setup);
    this.#env = env;
    this.#opening = new TaskOpening(env.folder, this.id);
  }

  get setup(): Setup {
    return this.#setup;
  }

  get status() {
    const { answeredAt, ...status } = this.#status;
    return {
      ...status,
      id: this.id,
      address: this.#address,
      memory: this.#memory,
      heartbeatAge: answeredAt < 0 ? -1 : performance.now() - answeredAt,
      stepsPerSecond: this.#status.state === 'running' ? this.#steps.perSecond : -1,
      restarts: Math.max(0, this.#restarts),
      logLines: this.log.total,
      opening: this.#status.startedAt === 0 ? [] : this.#opening.now,
    };
  }

  /** Starts its process, or another one in its place, by the present setup or a new one. Returns at once, or throws INVALID_ARGUMENT. */
  start(setup: Setup = this.#setup): void {
    this.#address = addressOf(setup);
    this.#setup = setup;
    this.#policy.reset();
    this.#restarts++;
    this.#giveUpChild();
    this.#learn({ kind: 'started' });
    void this.#begin();
  }

  /** Ends its process; resolves when it is gone. It is not started again. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    this.#giveUpChild();
    await this.#gone;
    await this.#opening.close().catch((error) => this.#note(toStatusError(error).message));
    this.#learn({ kind: 'stopped' });
  }

  setRestart(restart: boolean): void {
    this.#setup = { ...this.#setup, restart };
    if (restart || this.#restartTimer === undefined) return;
    clearTimeout(this.#restartTimer);
    this.#restartTimer = undefined;
    this.#learn({ kind: 'ended', reason: 'its process has ended: restart the task to go on', code: 14 });
  }

  /** Does to its process what may happen to one in a lab. */
  disturb(how: Disturbance): void {
    if (!this.#child || this.#status.startedAt === 0) throw failedPrecondition(`${nameOf(this.#setup)} does not run`);
    if (process.platform === 'win32' && how !== 'kill') throw unimplemented('Windows cannot pause a process');
    this.#child.signal(SIGNALS[how]);
    if (how !== 'kill') this.#learn({ kind: how === 'pause' ? 'paused' : 'resumed' });
  }

  /** Opens it to a network for some seconds, in place of an earlier opening; `undefined` closes it. */
  async setOpening(opening: { readonly network: string; readonly seconds: number } | undefined): Promise<void> {
    if (this.#status.startedAt === 0) throw failedPrecondition(`${nameOf(this.#setup)} does not run`);
    if (this.#setup.engine === 'tensorflow')
      throw failedPrecondition(`${nameOf(this.#setup)} is a genuine TensorFlow task, which is open to everybody as long as it runs`);
    await (opening ? this.#opening.open(opening.network, opening.seconds) : this.#opening.close());
  }

  #giveUpChild(): void {
    clearTimeout(this.#restartTimer);
    this.#restartTimer = undefined;
    const child = this.#child;
    this.#child = undefined;
    this.#memory = 0;
    if (child) this.#gone = Promise.all([this.#gone, child.stop()]);
  }

  async #begin(): Promise<void> {
    try {
      // An opening ends with the process that it was made for.
      await Promise.all([this.#gone, this.#env.freePort(Number(/\d+$/.exec(this.#address)?.[0])), this.#opening.close()]);
      if (!this.#isWanted || this.#child) return;
      this.#opening.learn([]);
      this.#steps = new StepRate();
      this.#lastWords = '';
      const child = this.#launch();
      this.#child = child;
      this.#note(`started process ${child.pid}`);
      void child.ended.then((how) => this.#note(`process ${child.pid} has ended (${how})`));
      await this.#comeUp(child);
    } catch (error) {
      this.#fail(toStatusError(error));
    }
  }

  #launch(): TaskChild {
    return TaskChild.launch({
      program: this.#env.program,
      variables: this.#env.variables(),
      args: flagsOf(this.#setup, { tls: this.#env.tls(), openings: this.#opening.path }),
      onLine: (line) => {
        this.#lastWords = line;
        this.#addLine(line);
      },
    });
  }

  async #comeUp(child: TaskChild): Promise<void> {
    const began = performance.now();
    const explaining = setInterval(() => {
      if (this.#child === child) this.#learn({ kind: 'waits', reason: this.#startReason(performance.now() - began) });
    }, EXPLAIN_MS);
    const limit = setTimeout(() => child.signal('SIGKILL'), START_LIMIT_MS);
    try {
      const address = await child.ready;
      if (this.#child !== child) return;
      this.#learn({ kind: 'listens', at: Date.now() });
      this.#watch(child, address);
    } catch (error) {
      if (this.#child !== child) return;
      const isLate = performance.now() - began >= START_LIMIT_MS;
      throw isLate ? deadlineExceeded(`it did not listen within ${START_LIMIT_MS / 1000} s; it last said: ${this.#lastWords}`) : error;
    } finally {
      clearInterval(explaining);
      clearTimeout(limit);
    }
  }

  #watch(child: TaskChild, address: string): void {
    const began = performance.now();
    const over = new AbortController();
    void child.ended.then((how) => {
      over.abort();
      if (this.#child === child) this.#ended(how, performance.now() - began);
    });
    const listener = {
      onAnswer: ({ incarnation, steps, openings }: Beat): void => {
        if (this.#child !== child) return;
        this.#opening.learn(openings);
        if (steps !== undefined) this.#steps.add(steps, performance.now());
        this.#learn({ kind: 'answered', incarnation, at: performance.now() });
        void processMemory(child.pid).then((bytes) => {
          if (this.#child === child) this.#memory = bytes;
        });
      },
      onSilence: (reason: string): void => {
        if (this.#child === child) this.#learn({ kind: 'silent', reason });
      },
    };
    void watchHeartbeat(address, listener, over.signal);
  }

  #ended(how: string, ranMs: number): void {
    this.#child = undefined;
    this.#memory = 0;
    if (!this.#setup.restart) {
      this.#learn({ kind: 'ended', reason: `its process has ended (${how}): restart the task to go on`, code: 14 });
      return;
    }
    const pause = this.#policy.nextPause(ranMs);
    this.#restarts++;
    this.#learn({ kind: 'willRestart', reason: `its process has ended (${how}); it is started again in ${pause / 1000} s` });
    this.#restartTimer = setTimeout(() => {
      this.#restartTimer = undefined;
      this.#learn({ kind: 'started' });
      void this.#begin();
    }, pause);
  }

  #fail({ code, message }: StatusError): void {
    const { restart } = this.#setup;
    // One that came up before is tried again: its port may be in use for a moment only.
    if (this.#child && restart && this.#restarts > 0) {
      this.#ended(message, 0);
    } else {
      this.#child = undefined;
      this.#learn({ kind: 'ended', reason: message, code });
    }
  }

  /** What the agent itself has to say stands among what the task says. */
  #note(text: string): void {
    this.#addLine(`agent: ${text}`);
  }

  #addLine(line: string): void {
    this.log.add(line, Date.now());
    this.#env.onLine();
  }

  #startReason(milliseconds: number): string {
    const said = this.#lastWords === '' ? 'it has said nothing so far' : `it last said: ${this.#lastWords}`;
    return `its process has been starting for ${Math.round(milliseconds / 1000)} s; ${said}`;
  }

  #learn(event: TaskEvent): void {
    const before = this.#status;
    this.#status = nextStatus(before, event);
    // A heartbeat is news too: with it come memory and steps.
    if (this.#status !== before) this.#env.onStatus();
  }
}
