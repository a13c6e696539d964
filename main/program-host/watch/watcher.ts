import { Code, toStatusError } from '#proto/wire/status.ts';
import { byteLength, type Tensor } from '#proto/wire/tensor.ts';
import type { GraphBuilder, Output } from '../../client/index.ts';
import type { FetchPlan } from '../../client/session/fetches.ts';
import type { ClientEvent } from '../protocol.ts';
import { isTaskLoss, lossText } from '../task-loss.ts';
import { ancestors, howToRead, type Reading } from './reach.ts';
import { seriesValues } from './tensor-series.ts';
import { type WatchExpression, watchedTensor } from './watch-expression.ts';

/** A session whose tensors can be read by a step that the program does not know of. */
export interface WatchedSession {
  readonly graph: GraphBuilder;
  read(tensors: readonly Output[]): Promise<readonly Tensor[]>;
}

export interface WatcherEnv {
  readonly tell: (event: ClientEvent) => void;
  /** Steps that the client has run. */
  readonly steps: () => number;
  /** A step of the client is under way. */
  readonly isStepping: () => boolean;
}

/** A value is read this often at most, in milliseconds. */
const READ_MS = 100;
/** A read that takes long, perhaps because it must wait, is repeated after so many times its time, but at least once a second. */
const SHARE = 60;
const SLOW_READ_MS = 1000;
/** The client's next step waits for a read this long at most, in milliseconds. */
const HOLD_MS = 500;
/** What is large is read less often: bytes for each millisecond. */
const BYTES_PER_MS = 20_000;

interface Watch {
  readonly expression: WatchExpression;
  /** Where its tensor was found. */
  found: { readonly session: WatchedSession; readonly tensor: Output; readonly reading: Reading } | undefined;
  wasFound: boolean;
  /** It is there, and cannot be watched. */
  isRefused: boolean;
  hasValue: boolean;
  /** The last thing that was said about it. */
  said: string;
}

/** When a read began. */
interface Moment {
  readonly life: number;
  /** That the client had run. */
  readonly steps: number;
}

/**
 * Turns watched tensors of a client's sessions into series, by the client's count of steps. Variables that lost their values begin
 * anew at step 0, so that the old life of a series is not joined with the new one.
 */
export class Watcher {
  readonly #env: WatcherEnv;
  readonly #watches: readonly Watch[];
  #bornAt = 0;
  /** How often the variables lost their values. */
  #lives = 0;
  #readAt = -1;
  #nextRead = 0;
  #nextAlong = 0;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #isWarm = false;
  #lastBytes = 0;
  #isClosed = false;

  constructor(expressions: readonly WatchExpression[], env: WatcherEnv) {
    this.#env = env;
    const unknown = { found: undefined, wasFound: false, isRefused: false, hasValue: false, said: '' };
    this.#watches = expressions.map((expression) => ({ ...unknown, expression }));
  }

  /** Steps since the variables got their initial values. */
  get age(): number {
    return this.#env.steps() - this.#bornAt;
  }

  /** What is in a graph of the client, and what is in none. */
  get names(): { readonly found: readonly string[]; readonly missing: readonly string[] } {
    const named = (wasFound: boolean): readonly string[] =>
      this.#watches.filter((watch) => watch.wasFound === wasFound).map(({ expression }) => expression.text);
    return { found: named(true), missing: named(false) };
  }

  /** The session has a graph now, or a larger one. */
  look(session: WatchedSession): void {
    for (const watch of this.#watches) if (!watch.found && !watch.isRefused) this.#find(watch, session);
  }

  leave(session: WatchedSession): void {
    for (const watch of this.#watches) if (watch.found?.session === session) watch.found = undefined;
  }

  /** The session has run a step. */
  stepped(session: WatchedSession): void {
    this.look(session);
    this.#readSoon();
  }

  /** The variables of the client's sessions have their initial values. */
  beginLife(): void {
    this.#lives++;
    [this.#bornAt, this.#readAt] = [this.#env.steps(), -1];
    for (const watch of this.#watches) watch.hasValue = false;
    // Whoever looks on sees it from its first step on, even if a read of the old one does not end, as where its task is gone.
    [this.#nextRead, this.#nextAlong] = [0, 0];
    clearTimeout(this.#timer);
    [this.#timer, this.#reading] = [undefined, undefined];
    this.#readSoon();
  }

  /** Tensors to take from the step that a session is about to run, because it makes them anyway. */
  alongWith(session: WatchedSession, { tensors, targets }: FetchPlan, fed: ReadonlySet<Output>): readonly Output[] {
    const wanted = this.#watches.flatMap(({ found }) => (found?.session === session && found.reading === 'along' ? [found.tensor] : []));
    if (wanted.length === 0 || performance.now() < this.#nextAlong) return [];
    const running = ancestors([...tensors.map(({ node }) => node), ...targets], fed);
    return wanted.filter((tensor) => running.has(tensor.node) && !fed.has(tensor));
  }

  /** The values of those tensors. */
  take(tensors: readonly Output[], values: readonly Tensor[]): void {
    this.#nextAlong = performance.now() + Math.max(READ_MS, bytesOf(values) / BYTES_PER_MS);
    const step = this.age;
    for (const watch of this.#watches) {
      const value = watch.found && values[tensors.indexOf(watch.found.tensor)];
      if (value) this.#sample(watch, value, step);
    }
  }

  /** Resolves when no value is being read, so that what is read after a step is not changed by the next one. Never rejects. */
  async settled(): Promise<void> {
    const reading = this.#reading;
    if (!reading) return;
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, HOLD_MS);
      void reading.then(() => {
        clearTimeout(limit);
        resolve();
      });
    });
  }

  /** A last look, when steps have been run since the one before. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#reading;
    if (this.#reads()) await this.#read();
  }

  #readSoon(): void {
    if (this.#isClosed || this.#reading || this.#timer || !this.#reads()) return;
    const wait = this.#nextRead - performance.now();
    if (wait > 0) this.#timer = setTimeout(() => this.#startBetweenSteps(), wait).unref();
    else this.#start();
  }

  /** In the middle of a step nobody can tell which step a value belongs to; the end of it starts the read. */
  #startBetweenSteps(): void {
    this.#timer = undefined;
    if (!this.#env.isStepping()) this.#start();
  }

  #reads(): boolean {
    return this.#env.steps() > this.#readAt && this.#watches.some(({ found }) => found?.reading === 'alone');
  }

  #start(): void {
    const started = performance.now();
    const reading = this.#read().finally(() => {
      if (this.#reading !== reading) return;
      // The first time, the master makes a plan for the step.
      const took = this.#isWarm ? performance.now() - started : 0;
      this.#nextRead = started + Math.max(READ_MS, Math.min(SLOW_READ_MS, took * SHARE), this.#lastBytes / BYTES_PER_MS);
      this.#isWarm = true;
      this.#reading = undefined;
      this.#readSoon();
    });
    this.#reading = reading;
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    const moment: Moment = { life: this.#lives, steps: this.#env.steps() };
    this.#readAt = moment.steps;
    this.#lastBytes = 0;
    const bySession = new Map<WatchedSession, Watch[]>();
    for (const watch of this.#watches) {
      if (watch.found?.reading !== 'alone') continue;
      bySession.set(watch.found.session, [...(bySession.get(watch.found.session) ?? []), watch]);
    }
    await Promise.all([...bySession].map(([session, watches]) => this.#readFrom(session, watches, moment)));
  }

  /** What is read of a life that has ended meanwhile says nothing. */
  async #readFrom(session: WatchedSession, watches: readonly Watch[], moment: Moment): Promise<void> {
    try {
      const values = await session.read(watches.flatMap(({ found }) => (found ? [found.tensor] : [])));
      if (moment.life !== this.#lives) return;
      this.#lastBytes += bytesOf(values);
      for (const [i, watch] of watches.entries()) {
        const value = values[i];
        if (value) this.#sample(watch, value, moment.steps - this.#bornAt);
      }
    } catch (error) {
      const [only] = watches;
      if (moment.life !== this.#lives) return;
      // One that has no value keeps the others from being read.
      if (watches.length > 1) for (const watch of watches) await this.#readFrom(session, [watch], moment);
      else if (only) this.#cannotRead(only, error);
    }
  }

  #cannotRead(watch: Watch, error: unknown): void {
    const status = toStatusError(error);
    const isLost = isTaskLoss(error);
    // Perhaps another session can read it.
    if (isLost) watch.found = undefined;
    // A variable without a value is not worth a word before it is initialized; one that had a value has lost it.
    if (watch.hasValue && (isLost || status.code === Code.FAILED_PRECONDITION)) this.beginLife();
    const isQuiet = status.code === Code.FAILED_PRECONDITION || status.code === Code.CANCELLED;
    if (!isQuiet) this.#say(watch, `'${watch.expression.text}' cannot be read: ${isLost ? lossText(status) : status.message}`);
  }

  #sample(watch: Watch, tensor: Tensor, step: number): void {
    try {
      for (const [series, value] of seriesValues(watch.expression.text, tensor, watch.expression.indices))
        this.#env.tell({ kind: 'sample', series, step, value });
      watch.hasValue = true;
      watch.said = '';
    } catch (error) {
      this.#say(watch, toStatusError(error).message);
    }
  }

  #find(watch: Watch, session: WatchedSession): void {
    try {
      const tensor = watchedTensor(session.graph, watch.expression);
      if (!tensor) return;
      watch.wasFound = true;
      watch.found = { session, tensor, reading: howToRead(tensor, watch.expression.text) };
      this.#isWarm = false;
    } catch (error) {
      [watch.wasFound, watch.isRefused] = [true, true];
      this.#say(watch, toStatusError(error).message);
    }
  }

  #say(watch: Watch, text: string): void {
    if (watch.said === text) return;
    watch.said = text;
    this.#env.tell({ kind: 'notice', text });
  }
}

function bytesOf(values: readonly Tensor[]): number {
  return values.reduce((sum, value) => sum + byteLength(value), 0);
}
