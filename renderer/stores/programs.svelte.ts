import type { Calls, ProgramInfo } from '#proto/ipc/contract.ts';
import type { Core } from '../api/core.ts';
import { ProgramDrafts } from './program-drafts.svelte.ts';
import { Remote } from './remote.svelte.ts';

/** All programs, samples first, kept up to date by the core. */
export class ProgramsStore extends Remote<readonly ProgramInfo[]> {
  readonly drafts: ProgramDrafts;
  readonly #core: Core;
  /** Deleted by the user, who may still think better of it. */
  readonly #leaving = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(core: Core) {
    super(async () => this.#present(await core.call('programs.list')));
    this.#core = core;
    this.drafts = new ProgramDrafts(core);
    core.on('programs.changed', ({ programs }) => {
      this.value = this.#present(programs);
    });
    addEventListener('pagehide', () => {
      for (const program of this.#leaving.keys()) void this.#delete(program);
    });
  }

  find(name: string): ProgramInfo | undefined {
    return this.value?.find((program) => program.name === name);
  }

  async create(wish: Calls['programs.create']['argument']): Promise<ProgramInfo> {
    if (wish.from !== undefined) await this.drafts.flush(wish.from);
    return this.#put(await this.#core.call('programs.create', wish));
  }

  async import(name: string, content: Uint8Array): Promise<ProgramInfo> {
    return this.#put(await this.#core.call('programs.import', { name, content }));
  }

  /** The user lets a program run that came from elsewhere. */
  async trust(program: string): Promise<ProgramInfo> {
    return this.#put(await this.#core.call('programs.trust', { program }));
  }

  /** Its name may be another one then. */
  async rename(program: string, title: string): Promise<ProgramInfo> {
    await this.drafts.flush(program);
    const renamed = await this.#core.call('programs.rename', { program, title });
    if (renamed.name !== program) {
      this.drafts.forget(program);
      this.value = this.value?.filter(({ name }) => name !== program);
    }
    return this.#put(renamed);
  }

  /** Takes it away from the window now and deletes it after so many milliseconds, unless `restore` is called before. */
  async remove(program: string, after: number, onFailure: (error: unknown) => void): Promise<void> {
    await this.drafts.flush(program);
    const timer = setTimeout(() => void this.#delete(program).catch(onFailure), after);
    this.#leaving.set(program, timer);
    this.value = this.#present(this.value ?? []);
  }

  async restore(program: string): Promise<void> {
    clearTimeout(this.#leaving.get(program));
    this.#leaving.delete(program);
    await this.load();
  }

  async #delete(program: string): Promise<void> {
    clearTimeout(this.#leaving.get(program));
    this.drafts.forget(program);
    try {
      await this.#core.call('programs.delete', { program });
    } finally {
      this.#leaving.delete(program);
      await this.load();
    }
  }

  #present(programs: readonly ProgramInfo[]): readonly ProgramInfo[] {
    return programs.filter(({ name }) => !this.#leaving.has(name));
  }

  #put(program: ProgramInfo): ProgramInfo {
    const programs = this.value ?? [];
    const isKnown = programs.some(({ name }) => name === program.name);
    this.value = isKnown ? programs.map((each) => (each.name === program.name ? program : each)) : [...programs, program];
    return program;
  }
}
