import type { ExportedFile, ExportFormat } from '#proto/ipc/contract.ts';
import { type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { Core } from '../../api/core.ts';
import { runFormats } from './exports.ts';

/** A chosen format: its file, once it is made. */
interface Part {
  readonly file?: ExportedFile;
  readonly error?: StatusError;
}

/** The chosen formats. */
export type Parts = Readonly<Partial<Record<ExportFormat, Part>>>;

interface ExportFilesEnv {
  readonly core: Pick<Core, 'call'>;
  readonly run: string;
  publish(parts: Parts): void;
}

const isOfTrace = (format: ExportFormat) => runFormats.some(({ id, ofTrace }) => id === format && ofTrace);

/** Makes the files of chosen formats of a run at once, so that names and sizes are known before anything is saved. */
export class ExportFiles {
  readonly #env: ExportFilesEnv;
  #parts: Parts = {};
  #trace: string | undefined;

  constructor(env: ExportFilesEnv) {
    this.#env = env;
  }

  async toggle(format: ExportFormat, chosen: boolean): Promise<void> {
    const { [format]: _, ...others } = this.#parts;
    this.#publish(others);
    if (chosen) await this.#make(format);
  }

  /** Of which trace the formats are that hold one. Their files are made again. */
  async useTrace(trace: string): Promise<void> {
    this.#trace = trace;
    const chosen = runFormats.map(({ id }) => id).filter((id) => this.#parts[id] && isOfTrace(id));
    await Promise.all(chosen.map((format) => this.#make(format)));
  }

  async #make(format: ExportFormat): Promise<void> {
    const pending: Part = {};
    this.#publish({ ...this.#parts, [format]: pending });
    const made = await this.#export(format);
    // Another choice may have been made meanwhile.
    if (this.#parts[format] === pending) this.#publish({ ...this.#parts, [format]: made });
  }

  async #export(format: ExportFormat): Promise<Part> {
    const { core, run } = this.#env;
    try {
      const ofTrace = isOfTrace(format) && this.#trace !== undefined && { trace: this.#trace };
      return { file: await core.call('runs.export', { run, format, ...ofTrace }) };
    } catch (error) {
      return { error: toStatusError(error) };
    }
  }

  #publish(parts: Parts): void {
    this.#parts = parts;
    this.#env.publish(parts);
  }
}

/** The files that are there, in the order in which the formats are listed. */
export function filesOf(parts: Parts): readonly ExportedFile[] {
  return runFormats.flatMap(({ id }) => parts[id]?.file ?? []);
}

/** Some files are not made yet. */
export function isBusy(parts: Parts): boolean {
  return Object.values(parts).some(({ file, error }) => !file && !error);
}
