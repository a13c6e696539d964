import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { deadlineExceeded, failedPrecondition, type StatusError, toStatusError, unimplemented } from '#proto/wire/status.ts';
import { LogRing } from './log-ring.ts';
import { yieldToOthers } from './priority.ts';
import { RestartPolicy } from './restart-policy.ts';
import { type Opening, TaskOpening } from './task-opening.ts';
import type { Launch, TaskProcess } from './task-process.ts';
import type { LineListener, TaskFacts, TaskRunner } from './task-runner.ts';
import { addressOf, flagsOf, lifeOf, nameOf, type Setup, taskId } from './task-setup.ts';
import { type KnownStatus, nextStatus, STOPPED, type TaskEvent } from './task-status.ts';
import { VitalSigns } from './vital-signs.ts';

export interface SupervisedTaskEnv {
  /** The built task program. */
  readonly program: string;
  /** Of its process, when that starts. */
  readonly variables: () => Launch['variables'];
  /** Tasks leave the processors to other programs first. */
  readonly yields: boolean;
  /** What this machine shows to its lab, if it belongs to one. */
  readonly tls: () => TlsFiles | undefined;
  /** The agent's own, for the files by which tasks are opened. */
  readonly folder: string;
  /** Gives up what keeps the task's port from other programs. */
  readonly freePort: (port: number) => Promise<void>;
  /** What runs its processes, and tells what they say. */
  readonly runner: (onLine: LineListener) => TaskRunner;
  readonly onStatus: () => void;
  readonly onLine: () => void;
}

export type Disturbance = 'kill' | 'pause' | 'resume';

/** After this time a start that is not done is explained. */
const EXPLAIN_MS = 1500;
/** A start that takes longer has failed. TensorFlow alone may need 10 s from a cold disk. */
const START_LIMIT_MS = 20_000;
/** Before what the agent itself has to say, among what the task says. */
const NOTE = 'agent: ';
const SIGNALS = { kill: 'SIGKILL', pause: 'SIGSTOP', resume: 'SIGCONT' } as const;

/** One task of this machine: its process, which may come and go, and what is known of it. */
export class SupervisedTask {
  readonly id: string;
  readonly log = new LogRing();
  readonly #env: SupervisedTaskEnv;
  readonly #runner: TaskRunner;
  readonly #policy = new RestartPolicy();
  readonly #opening: TaskOpening;
  #setup: Setup;
  #address: string;
  #status: KnownStatus = STOPPED;
  #restarts = -1;
  /** Of the present process. */
  #lastWords = '';
  #child: TaskProcess | undefined;
  /** Of the process, once it listens. */
  #signs: VitalSigns | undefined;
  #isWanted = true;
  #noted: Promise<void> = Promise.resolve();
  #restartTimer: NodeJS.Timeout | undefined;
  /** Settles when all processes that were given up are gone. */
  #gone: Promise<unknown> = Promise.resolve();

  constructor(setup: Setup, env: SupervisedTaskEnv) {
    this.id = taskId(setup);
    this.#setup = setup;
    this.#address = addressOf(setup);
    this.#env = env;
    this.#opening = new TaskOpening(env.folder, this.id);
    this.#runner = env.runner((line, time) => this.#hear(line, time));
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
      memory: this.#signs?.memory ?? 0,
      heartbeatAge: answeredAt < 0 ? -1 : performance.now() - answeredAt,
      stepsPerSecond: this.#status.state === 'running' ? (this.#signs?.stepsPerSecond ?? -1) : -1,
      restarts: Math.max(0, this.#restarts),
      logLines: this.log.total,
      opening: this.#opening.now,
    };
  }

  /** Resolves when what is known of it by now outlives this agent, where that is wanted. */
  get noted(): Promise<void> {
    return this.#noted;
  }

  /** Starts its process, or another one in its place, by the present setup or a new one. Returns at once, or throws INVALID_ARGUMENT. */
  start(setup: Setup = this.#setup): void {
    this.#address = addressOf(setup);
    this.#setup = setup;
    this.#policy.reset();
    this.#restarts++;
    this.#giveUpChild();
    this.#opening.foretell(this.#life);
    this.#learn({ kind: 'started' });
    this.#keep();
    void this.#begin();
  }

  /** Goes on with what an agent before this one has left. `fate`: what has become of its process, should that be gone. */
  async goOn({ restarts, startedAt, isPaused, loss }: TaskFacts, fate: string): Promise<void> {
    this.#restarts = restarts;
    this.#opening.adopt(this.#life);
    const left = await this.#runner.recover();
    if (left) {
      this.#hold(left);
      this.#learn(startedAt > 0 ? { kind: 'adopted', at: startedAt, isPaused } : { kind: 'started' });
      this.#comeUp(left).catch((error: unknown) => this.#fail(toStatusError(error)));
      return;
    }
    this.#learn({ kind: 'started' });
    if (loss) {
      this.#learn({ kind: 'ended', ...loss });
    } else {
      this.#note(fate);
      this.#ended(fate, 0);
    }
  }

  /** Ends its process; resolves when it is gone. It is not started again. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    this.#giveUpChild();
    await this.#gone;
    await this.#opening.close().catch((error) => this.#note(toStatusError(error).message));
    await this.#runner.forget();
    this.#learn({ kind: 'stopped' });
  }

  /** This agent ends, and leaves the task to another one. */
  async leave(): Promise<void> {
    this.#isWanted = false;
    this.#child = undefined;
    this.#signs?.close();
    clearTimeout(this.#restartTimer);
    await this.#runner.leave();
  }

  setRestart(restart: boolean): void {
    this.#setup = { ...this.#setup, restart };
    this.#keep();
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

  /** Opens it to a network for some seconds, in place of an earlier opening; `undefined` closes it, also for its next process. */
  async setOpening(opening: Opening | undefined): Promise<void> {
    if (opening && this.#status.startedAt === 0) throw failedPrecondition(`${nameOf(this.#setup)} does not run`);
    if (this.#setup.engine === 'tensorflow')
      throw failedPrecondition(`${nameOf(this.#setup)} is a genuine TensorFlow task, which is open to everybody as long as it runs`);
    await (opening ? this.#opening.open(opening, this.#life) : this.#opening.close());
    if (this.#status.startedAt > 0) return;
    this.#opening.foretell(this.#life);
    this.#env.onStatus();
  }

  #giveUpChild(): void {
    clearTimeout(this.#restartTimer);
    this.#restartTimer = undefined;
    const child = this.#child;
    this.#child = undefined;
    this.#signs = undefined;
    if (child) this.#gone = Promise.all([this.#gone, child.stop()]);
  }

  async #begin(): Promise<void> {
    try {
      const port = Number(/\d+$/.exec(this.#address)?.[0]);
      await Promise.all([this.#gone, this.#env.freePort(port)]);
      await this.#opening.begin(this.#life);
      if (!this.#isWanted || this.#child) return;
      this.#lastWords = '';
      const command = [this.#env.program, ...flagsOf(this.#setup, { tls: this.#env.tls(), openings: this.#opening.path })];
      const child = this.#runner.launch({ command, variables: this.#env.variables() });
      this.#note(`started process ${child.pid}`);
      const trouble = this.#env.yields ? yieldToOthers(child.pid) : undefined;
      if (trouble) this.#note(`its priority could not be lowered: ${trouble}`);
      this.#hold(child);
      await this.#comeUp(child);
    } catch (error) {
      this.#fail(toStatusError(error));
    }
  }

  #hold(child: TaskProcess): void {
    this.#child = child;
    void child.ended.then((how) => this.#note(`process ${child.pid} has ended (${how})`));
  }

  async #comeUp(child: TaskProcess): Promise<void> {
    const began = performance.now();
    const explaining = setInterval(() => {
      if (this.#child === child) this.#learn({ kind: 'waits', reason: this.#startReason(performance.now() - began) });
    }, EXPLAIN_MS);
    const limit = setTimeout(() => child.signal('SIGKILL'), START_LIMIT_MS);
    try {
      const address = await child.ready;
      const at = Date.now();
      // Whoever has been told of a start is not told of another one by the next agent.
      if (this.#status.startedAt === 0) await this.#runner.keep({ ...this.#facts, startedAt: at });
      if (this.#child !== child) return;
      this.#learn({ kind: 'listens', at });
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

  #watch(child: TaskProcess, address: string): void {
    const began = performance.now();
    const learn = (event: TaskEvent): void => {
      if (this.#child === child) this.#learn(event);
    };
    const signs = new VitalSigns(child.pid, address, {
      onAnswer: ({ incarnation, openings }) => {
        if (this.#child === child) this.#opening.learn(openings);
        learn({ kind: 'answered', incarnation, at: performance.now() });
      },
      onSilence: (reason) => learn({ kind: 'silent', reason }),
    });
    this.#signs = signs;
    void child.ended.then((how) => {
      signs.close();
      if (this.#child === child) this.#ended(`its process has ended (${how})`, performance.now() - began);
    });
  }

  /** Its process is gone, as `what` says. */
  #ended(what: string, ranMs: number): void {
    this.#child = undefined;
    this.#signs = undefined;
    this.#opening.foretell(this.#life);
    if (!this.#setup.restart) {
      this.#learn({ kind: 'ended', reason: `${what}: restart the task to go on`, code: 14 });
      return;
    }
    const pause = this.#policy.nextPause(ranMs);
    this.#restarts++;
    this.#learn({ kind: 'willRestart', reason: `${what}; it is started again in ${pause / 1000} s` });
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

  #note(text: string): void {
    this.#runner.note(`${NOTE}${text}`);
  }

  #hear(line: string, time: number): void {
    if (!line.startsWith(NOTE)) this.#lastWords = line;
    this.log.add(line, time);
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
    if (this.#status.state !== before.state || this.#status.startedAt !== before.startedAt) this.#keep();
  }

  #keep(): void {
    this.#noted = this.#runner.keep(this.#facts);
  }

  get #life(): string {
    return lifeOf(this.#setup);
  }

  get #facts(): TaskFacts {
    const { state, startedAt, reason, code } = this.#status;
    const loss = state === 'lost' && startedAt === 0 ? { reason, code } : undefined;
    return { setup: this.#setup, restarts: this.#restarts, startedAt, isPaused: state === 'paused', loss };
  }
}
