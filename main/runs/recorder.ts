import type { LogLine, RunInfo, SeriesColumns } from '#proto/ipc/contract.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { AppendFile } from './append-file.ts';
import { LogStore } from './log-store.ts';
import type { RunFolder, WriteFile } from './run-folder.ts';
import { type RunRecord, runInfo } from './run-record.ts';
import { SeriesEncoder } from './series-file.ts';
import { SeriesStore } from './series-store.ts';
import { timelineOf } from './trace-timeline.ts';
import { traceInfo } from './trace-view.ts';

/** Hears what is recorded, in batches. */
export interface RecorderListener {
  onInfo(info: RunInfo): void;
  onSamples(run: string, series: readonly SeriesColumns[]): void;
  onLines(run: string, lines: readonly LogLine[]): void;
  /** Once when writing to disk begins to fail, and once when it works again. The log says it too. */
  onTrouble?(text: string): void;
}

export interface RecorderEnv {
  readonly folder: RunFolder;
  readonly writeFile: WriteFile;
  readonly listener: RecorderListener;
}

/** What of a run changes while it goes on, by what its program and its tasks do. */
export type RunChange = Partial<
  Pick<RunRecord, 'state' | 'status' | 'errorCode' | 'tasks' | 'cluster' | 'outcomes' | 'problems' | 'programTitle'>
>;

/** A window hears of samples and lines at most ten times a second: whoever looks on must not slow the run down. */
const TELL_MS = 100;
/** Of how many there are, and how many steps were run, it hears less often: nobody reads a count faster. */
const COUNT_MS = 500;
/** What a crash of the machine may lose. */
const FLUSH_MS = 1000;
/** The record is written at least this often, as a sign of life. */
const RECORD_MS = 10_000;
/** The same, while steps are run: other processes follow the run by it. */
const STEPS_MS = 2000;
const MAX_NAME = 500;

/**
 * Records one run into its folder and tells what is new. Recording never fails: what cannot be written stays in memory and is
 * tried again, and the log says so. `finish` ends it.
 */
export class Recorder {
  readonly series = new SeriesStore();
  readonly log: LogStore;
  readonly #env: RecorderEnv;
  readonly #encoder = new SeriesEncoder();
  readonly #seriesFile: AppendFile;
  readonly #flushTimer: NodeJS.Timeout;
  readonly #clients = new Set<string>();
  /** Steps by client. */
  readonly #steps = new Map<string, number>();
  readonly #graphs = new Map<string, Uint8Array>();
  #record: RunRecord;
  #freshSamples = new SeriesStore();
  #freshLines: LogLine[] = [];
  #telling: NodeJS.Timeout | undefined;
  #counting: NodeJS.Timeout | undefined;
  /** By the clock of `performance`. */
  #lastInfo = Number.NEGATIVE_INFINITY;
  #lastTrace = 0;
  #isRecordDirty = false;
  #areStepsDirty = false;
  #isBroken = false;

  private constructor(record: RunRecord, env: RecorderEnv) {
    this.#record = record;
    this.#env = env;
    this.log = new LogStore(env.folder.log);
    this.#seriesFile = new AppendFile(env.folder.series);
    let sinceRecord = 0;
    this.#flushTimer = setInterval(() => {
      sinceRecord = (sinceRecord + FLUSH_MS) % RECORD_MS;
      if (sinceRecord === 0 || (sinceRecord % STEPS_MS === 0 && this.#areStepsDirty)) this.#isRecordDirty = true;
      void this.flush();
    }, FLUSH_MS);
  }

  /** Rejects when the folder cannot be made. */
  static async start(record: RunRecord, env: RecorderEnv): Promise<Recorder> {
    await env.folder.create();
    await env.folder.writeRecord(record, env.writeFile);
    return new Recorder(record, env);
  }

  get folder(): RunFolder {
    return this.#env.folder;
  }

  get record(): RunRecord {
    const steps = [...this.#steps.values()].reduce((sum, count) => sum + count, 0);
    return { ...this.#record, series: this.series.infos(), logLines: this.log.total, clients: [...this.#clients], steps };
  }

  get info(): RunInfo {
    return runInfo(this.record);
  }

  change(change: RunChange): void {
    this.#record = { ...this.#record, ...change };
    this.#isRecordDirty = true;
    this.tell();
  }

  /** A task of its cluster has just been started again. */
  addRestart(task: string): void {
    this.#record = { ...this.#record, restarts: [...this.#record.restarts, { task, at: Date.now() }] };
    this.#isRecordDirty = true;
    this.tell();
  }

  /** What its user may change. */
  rename({ title, note }: Pick<RunInfo, 'title' | 'note'>): void {
    this.#record = { ...this.#record, title, note };
    this.#isRecordDirty = true;
    this.tell();
  }

  addLine(source: string, kind: LogLine['kind'], text: string): void {
    if (kind === 'client') this.#clients.add(source);
    this.#freshLines.push(this.log.append({ time: Date.now(), source, kind, text }));
    this.#tellSoon();
  }

  addSample(client: string, series: string, step: number, value: number): void {
    const name = series.slice(0, MAX_NAME);
    if (!Number.isFinite(step)) {
      this.addLine(client, 'error', `A sample of '${name}' was left out: its step is ${step}`);
      return;
    }
    this.#clients.add(client);
    const sample = { step, value, time: Date.now() };
    this.series.add(client, name, sample);
    this.#encoder.add(client, name, sample);
    this.#freshSamples.add(client, name, sample);
    this.#tellSoon();
  }

  /** Steps that a client has run so far. */
  setSteps(client: string, count: number): void {
    this.#steps.set(client, count);
    this.#areStepsDirty = true;
    this.#tellSoon();
  }

  /** The GraphDef, serialized, that a client has sent; instead of the one that it had sent before. */
  addGraph(client: string, graphDef: Uint8Array): void {
    this.#graphs.set(client, graphDef);
  }

  /** A serialized RunMetadata. */
  async addTrace(client: string, name: string, metadata: Uint8Array): Promise<void> {
    const id = `trace-${++this.#lastTrace}`;
    try {
      const info = traceInfo(id, name.slice(0, MAX_NAME), client, timelineOf(metadata, client));
      this.#record = { ...this.#record, traces: [...this.#record.traces, info] };
      await this.#env.writeFile(this.#env.folder.trace(id), metadata);
      await this.#writeRecord();
    } catch (error) {
      this.#record = { ...this.#record, traces: this.#record.traces.filter((trace) => trace.id !== id) };
      this.addLine(client, 'error', `The trace '${name}' cannot be kept: ${toStatusError(error).message}`);
    }
    this.tell();
  }

  /** Tells at once what has not been told yet. */
  tell(): void {
    this.#tellFresh();
    this.#tellInfo();
  }

  /** Graphs that are not on disk yet, serialized, by client. */
  get unwrittenGraphs(): ReadonlyMap<string, Uint8Array> {
    return this.#graphs;
  }

  /** Writes what is new to disk. Never rejects. */
  async flush(): Promise<void> {
    this.#seriesFile.append(this.#encoder.takeBatch());
    const writes = [this.#seriesFile.flush(), this.log.flush(), this.#writeGraphs(), this.#isRecordDirty ? this.#writeRecord() : undefined];
    this.#report(await Promise.allSettled(writes));
  }

  /** The last change; everything is on disk afterwards, as far as the disk lets it. */
  async finish(change: RunChange): Promise<void> {
    clearInterval(this.#flushTimer);
    this.#record = { ...this.#record, ...change, endedAt: Date.now() };
    this.#isRecordDirty = true;
    await this.flush();
    this.#seriesFile.append(this.#encoder.finish());
    this.#report(await Promise.allSettled([this.#seriesFile.close(), this.log.close(), this.#writeRecord()]));
    this.tell();
  }

  async #writeRecord(): Promise<void> {
    [this.#isRecordDirty, this.#areStepsDirty] = [false, false];
    try {
      await this.#env.folder.writeRecord(this.record, this.#env.writeFile);
    } catch (error) {
      this.#isRecordDirty = true;
      throw error;
    }
  }

  async #writeGraphs(): Promise<void> {
    for (const [client, graphDef] of this.#graphs) {
      await this.#env.writeFile(this.#env.folder.graph(client), graphDef);
      // A larger one may have come meanwhile.
      if (this.#graphs.get(client) === graphDef) this.#graphs.delete(client);
    }
  }

  /** One line when writing begins to fail, and one when it works again. */
  #report(results: readonly PromiseSettledResult<unknown>[]): void {
    const failed = results.find((result) => result.status === 'rejected');
    if (failed && !this.#isBroken) {
      const { message } = toStatusError(failed.reason);
      this.#sayTrouble('error', `The run cannot be written to disk (${message}). It is kept in memory, and tried again.`);
    } else if (!failed && this.#isBroken) {
      this.#sayTrouble('progress', 'The run is written to disk again; nothing was lost.');
    }
    this.#isBroken = failed !== undefined;
  }

  #sayTrouble(kind: LogLine['kind'], text: string): void {
    this.addLine('lanflow', kind, text);
    this.#env.listener.onTrouble?.(text);
  }

  #tellSoon(): void {
    this.#telling ??= setTimeout(() => this.#tellFresh(), TELL_MS);
    // While it is paused, each step is somebody's click.
    const pause = this.#record.state === 'paused' ? 0 : this.#lastInfo + COUNT_MS - performance.now();
    this.#counting ??= setTimeout(() => this.#tellInfo(), Math.max(TELL_MS, pause));
  }

  #tellFresh(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    const { listener } = this.#env;
    const [samples, lines] = [this.#freshSamples.all(), this.#freshLines];
    [this.#freshSamples, this.#freshLines] = [new SeriesStore(), []];
    if (samples.length > 0) listener.onSamples(this.#record.id, samples);
    if (lines.length > 0) listener.onLines(this.#record.id, lines);
  }

  #tellInfo(): void {
    clearTimeout(this.#counting);
    this.#counting = undefined;
    this.#lastInfo = performance.now();
    this.#env.listener.onInfo(this.info);
  }
}
