import { failedPrecondition } from '#proto/wire/status.ts';
import type { Core } from '../api/core.ts';
import { ProgramSaver, type SaverState, type UnsavedText } from './program-saver.ts';

/** The source of one of the user's own programs, as it is typed and saved. */
export class ProgramDraft {
  state = $state.raw<SaverState>({ source: '', status: 'saved' });
  /** When it was last typed in; 0 when it was not since it was opened. */
  editedAt = $state.raw(0);
  readonly #saver: ProgramSaver;

  constructor(core: Core, program: string, source: string) {
    const key = `lanflow.draft.${program}`;
    this.#saver = new ProgramSaver(
      {
        read: async () => (await core.call('programs.read', { program })).source,
        write: async (next) => {
          await core.call('programs.write', { program, source: next });
        },
        publish: (state) => {
          this.state = state;
        },
        recall: () => parseText(localStorage.getItem(key)),
        keep: (text) => (text ? localStorage.setItem(key, JSON.stringify(text)) : localStorage.removeItem(key)),
      },
      source,
    );
  }

  type(source: string): void {
    this.editedAt = Date.now();
    this.#saver.type(source);
  }

  readonly save = (): Promise<void> => this.#saver.save();
  readonly look = (): Promise<void> => this.#saver.look();
  readonly park = (): void => this.#saver.park();
  readonly keepMine = (): Promise<void> => this.#saver.keepMine();
  readonly takeTheirs = (): void => this.#saver.takeTheirs();
  readonly dispose = (): void => this.#saver.dispose();
}

/** What is typed stays here until it is saved, wherever in the window the user goes. */
export class ProgramDrafts {
  readonly #core: Core;
  readonly #open = new Map<string, ProgramDraft>();

  constructor(core: Core) {
    this.#core = core;
    core.on('programs.changed', () => this.#lookAtAll());
    core.onState(({ kind }) => kind === 'connected' && this.#saveAll());
    addEventListener('focus', () => this.#lookAtAll());
    addEventListener('pagehide', () => {
      for (const draft of this.#open.values()) draft.park();
      this.#saveAll();
    });
  }

  async open(program: string): Promise<ProgramDraft> {
    const open = this.#open.get(program);
    if (open) {
      void open.look();
      return open;
    }
    const { source } = await this.#core.call('programs.read', { program });
    const draft = this.#open.get(program) ?? new ProgramDraft(this.#core, program, source);
    this.#open.set(program, draft);
    return draft;
  }

  /** Saves it, if it is open. Throws when that is not possible. */
  async flush(program: string): Promise<void> {
    const draft = this.#open.get(program);
    await draft?.save();
    if (draft?.state.error) throw draft.state.error;
    if (draft?.state.status === 'conflict')
      throw failedPrecondition(`${program} was changed elsewhere too; choose which text to keep first`);
  }

  /** It goes by another name, or is gone. */
  forget(program: string): void {
    this.#open.get(program)?.dispose();
    this.#open.delete(program);
  }

  #lookAtAll(): void {
    for (const draft of this.#open.values()) void draft.look();
  }

  #saveAll(): void {
    for (const draft of this.#open.values()) void draft.save();
  }
}

function parseText(json: string | null): UnsavedText | undefined {
  try {
    const { source, base } = JSON.parse(json ?? '{}') as Partial<Record<keyof UnsavedText, unknown>>;
    return typeof source === 'string' && typeof base === 'string' ? { source, base } : undefined;
  } catch (error) {
    // Nobody but this window writes there; what it cannot read is no text of a user.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
