import { stat } from 'node:fs/promises';
import type { LogLine, SeriesColumns } from '#proto/ipc/contract.ts';
import { LogStore } from './log-store.ts';
import type { RunData } from './recovery.ts';
import type { RunFolder } from './run-folder.ts';
import type { RunRecord } from './run-record.ts';
import { addBatch } from './series-file.ts';
import { SeriesStore } from './series-store.ts';
import { SeriesTail } from './series-tail.ts';

/** What has become known of a run since it was looked at last. */
export interface RunNews {
  readonly samples: readonly SeriesColumns[];
  readonly lines: readonly LogLine[];
  readonly isRecordNew: boolean;
}

/** A run that another process records, read from its folder as it grows. */
export class FollowedRun implements RunData {
  readonly folder: RunFolder;
  readonly series = new SeriesStore();
  readonly log: LogStore;
  readonly #tail: SeriesTail;
  #record: RunRecord;
  #stamp = 0;
  #newsAt = performance.now();
  #last: Promise<unknown> = Promise.resolve();

  private constructor(folder: RunFolder, record: RunRecord, log: LogStore) {
    this.folder = folder;
    this.log = log;
    this.#record = record;
    this.#tail = new SeriesTail(folder.series);
  }

  /** With all that is there already. */
  static async open(folder: RunFolder, record: RunRecord): Promise<FollowedRun> {
    const run = new FollowedRun(folder, record, await LogStore.load(folder.log));
    await run.look();
    return run;
  }

  /** Its owner writes the record only now and then; what it says of samples and log is what was read. */
  get record(): RunRecord {
    const series = this.series.infos();
    const clients = [...new Set([...this.#record.clients, ...series.map(({ client }) => client)])];
    return { ...this.#record, series, clients, logLines: this.log.total };
  }

  /** Milliseconds since anything of it was new, by a clock that stands still while the machine sleeps. */
  get silence(): number {
    return performance.now() - this.#newsAt;
  }

  /** What is new is in `series` and `log` when it is told, and not before. Told once, also when two ask at a time. */
  look(): Promise<RunNews> {
    const news = this.#last.then(() => this.#look());
    this.#last = news.catch(() => undefined);
    return news;
  }

  async #look(): Promise<RunNews> {
    const { mtimeMs } = await stat(this.folder.record);
    const isRecordNew = mtimeMs !== this.#stamp;
    if (isRecordNew) {
      this.#record = await this.folder.readRecord();
      this.#stamp = mtimeMs;
    }
    const batches = [];
    for await (const batch of this.#tail.batches()) batches.push(batch);
    const lines = await this.log.catchUp();
    if (isRecordNew || batches.length + lines.length > 0) this.#newsAt = performance.now();
    const fresh = new SeriesStore();
    for (const batch of batches) for (const store of [this.series, fresh]) addBatch(batch, store);
    return { samples: fresh.all(), lines, isRecordNew };
  }
}
