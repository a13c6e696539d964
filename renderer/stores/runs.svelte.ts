import type { RunInfo, RunRequest } from '#proto/ipc/contract.ts';
import type { Core } from '../api/core.ts';
import { Remote } from './remote.svelte.ts';
import { putRun } from './run-list.ts';
import { isActive } from './run-state.ts';

/** All runs, newest first, kept up to date by the core. */
export class RunsStore extends Remote<readonly RunInfo[]> {
  readonly active: readonly RunInfo[] = $derived((this.value ?? []).filter(isActive));
  readonly #core: Core;

  constructor(core: Core) {
    super(async () => [...(await core.call('runs.list'))].sort((a, b) => b.startedAt - a.startedAt));
    this.#core = core;
    core.on('runs.changed', ({ run }) => this.#put(run));
    core.on('runs.removed', ({ run }) => {
      this.value = this.value?.filter(({ id }) => id !== run);
    });
  }

  find(id: string): RunInfo | undefined {
    return this.value?.find((run) => run.id === id);
  }

  async start(request: RunRequest): Promise<RunInfo> {
    return this.#put(await this.#core.call('runs.start', request));
  }

  async pause(run: string): Promise<void> {
    this.#put(await this.#core.call('runs.pause', { run }));
  }

  async resume(run: string): Promise<void> {
    this.#put(await this.#core.call('runs.resume', { run }));
  }

  async step(run: string): Promise<void> {
    this.#put(await this.#core.call('runs.step', { run }));
  }

  async traceNext(run: string): Promise<void> {
    await this.#core.call('runs.traceNext', { run });
  }

  async reinitialize(run: string): Promise<void> {
    await this.#core.call('runs.reinitialize', { run });
  }

  async stop(run: string): Promise<void> {
    this.#put(await this.#core.call('runs.stop', { run }));
  }

  async rename(run: string, title: string, note: string): Promise<void> {
    this.#put(await this.#core.call('runs.rename', { run, title, note }));
  }

  async remove(run: string): Promise<void> {
    await this.#core.call('runs.delete', { run });
  }

  async import(name: string, content: Uint8Array): Promise<RunInfo> {
    return this.#put(await this.#core.call('runs.import', { name, content }));
  }

  #put(run: RunInfo): RunInfo {
    this.value = putRun(this.value ?? [], run);
    return run;
  }
}
