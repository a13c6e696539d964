import { type StatusError, toStatusError } from '#proto/wire/status.ts';

/** `conflict`: somebody else has changed it too, and the user decides. */
export type SaveStatus = 'saved' | 'unsaved' | 'saving' | 'failed' | 'conflict';

export interface SaverState {
  /** As it is typed now. */
  readonly source: string;
  readonly status: SaveStatus;
  /** Why it failed. */
  readonly error?: StatusError;
  /** In a conflict, the text that somebody else has written. */
  readonly theirs?: string;
}

/** A text that is not saved yet, and the saved one that it was made from. */
export interface UnsavedText {
  readonly source: string;
  readonly base: string;
}

export interface SaverEnv {
  read(): Promise<string>;
  write(source: string): Promise<void>;
  publish(state: SaverState): void;
  /** What outlives the window: the text that could not be saved before it went. */
  recall(): UnsavedText | undefined;
  keep(text: UnsavedText | undefined): void;
}

const SAVE_AFTER = 500;
/** Somebody who types without a pause is saved all the same. */
const SAVE_WITHIN = 5000;
const RETRY_AFTER = 2000;

/** Saves a text as it is typed, so that nothing typed is lost: not by a failure, not by a reload, not by somebody else who writes it. */
export class ProgramSaver {
  readonly #env: SaverEnv;
  #state: SaverState;
  /** What is on disk, as far as is known. */
  #base: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unsavedSince = 0;
  #work: Promise<void> = Promise.resolve();

  /** `base` is what has been read. A text that was kept is taken up again. */
  constructor(env: SaverEnv, base: string) {
    this.#env = env;
    this.#base = base;
    const kept = env.recall();
    if (!kept || kept.source === base) {
      this.#state = { source: base, status: 'saved' };
      if (kept) env.keep(undefined);
    } else if (kept.base === base) {
      this.#state = { source: kept.source, status: 'unsaved' };
      this.#saveIn(0);
    } else {
      this.#state = { source: kept.source, status: 'conflict', theirs: base };
    }
    env.publish(this.#state);
  }

  get state(): SaverState {
    return this.#state;
  }

  get isSafe(): boolean {
    return this.#state.status === 'saved';
  }

  type(source: string): void {
    const { status, theirs } = this.#state;
    if (status === 'conflict' && theirs !== undefined) {
      this.#set({ source, status, theirs });
      return;
    }
    if (this.isSafe || this.#unsavedSince === 0) this.#unsavedSince = Date.now();
    this.#set({ source, status: 'unsaved' });
    this.#saveIn(Math.max(0, Math.min(SAVE_AFTER, this.#unsavedSince + SAVE_WITHIN - Date.now())));
  }

  /** Resolves when the text of now is saved, or cannot be. */
  async save(): Promise<void> {
    clearTimeout(this.#timer);
    const turn = this.#work.then(() => this.#saveOnce());
    this.#work = turn;
    await turn;
  }

  /** The window goes: what is not saved is kept. */
  park(): void {
    if (!this.isSafe) this.#env.keep({ source: this.#state.source, base: this.#base });
  }

  /** The text on disk may be another one now. */
  async look(): Promise<void> {
    const turn = this.#work.then(() => this.#lookOnce());
    this.#work = turn;
    await turn;
  }

  /** Ends a conflict with the text of this window. */
  async keepMine(): Promise<void> {
    this.#base = this.#state.theirs ?? this.#base;
    this.#set({ source: this.#state.source, status: 'unsaved' });
    await this.save();
  }

  /** Ends a conflict with the text of the other. */
  takeTheirs(): void {
    if (this.#state.theirs !== undefined) this.#settle(this.#state.theirs);
  }

  /** Stops saving; what is typed and not saved is kept for the next time. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.park();
  }

  async #saveOnce(): Promise<void> {
    const { source, status } = this.#state;
    if (status === 'saved' || status === 'conflict') return;
    this.#set({ source, status: 'saving' });
    try {
      const theirs = await this.#env.read();
      if (theirs !== this.#base && theirs !== source) return this.#quarrel(theirs);
      await this.#env.write(source);
      this.#base = source;
      if (this.#state.source === source) this.#settle(source);
      else this.type(this.#state.source);
    } catch (error) {
      this.#set({ source: this.#state.source, status: 'failed', error: toStatusError(error) });
      this.park();
      this.#saveIn(RETRY_AFTER);
    }
  }

  async #lookOnce(): Promise<void> {
    if (this.#state.status === 'conflict') return;
    try {
      const theirs = await this.#env.read();
      if (theirs === this.#base) return;
      if (this.isSafe || theirs === this.#state.source) this.#settle(theirs);
      else this.#quarrel(theirs);
    } catch (error) {
      // Nothing is lost by it: the next save meets the same error and says so.
      if (!this.isSafe) this.#set({ source: this.#state.source, status: 'failed', error: toStatusError(error) });
    }
  }

  #quarrel(theirs: string): void {
    clearTimeout(this.#timer);
    this.#set({ source: this.#state.source, status: 'conflict', theirs });
    this.park();
  }

  /** The text of window and disk are one. */
  #settle(source: string): void {
    clearTimeout(this.#timer);
    this.#base = source;
    this.#unsavedSince = 0;
    this.#set({ source, status: 'saved' });
    this.#env.keep(undefined);
  }

  #set(state: SaverState): void {
    this.#state = state;
    this.#env.publish(state);
  }

  #saveIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), milliseconds);
  }
}
