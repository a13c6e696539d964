import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { type GraphDef, GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import type { ExportedFile, ExportRequest, RunInfo, TraceInfo, TraceView } from '#proto/ipc/contract.ts';
import { failedPrecondition, notFound, toStatusError } from '#proto/wire/status.ts';
import { exportRun } from './export/index.ts';
import { FolderWatch } from './folder-watch.ts';
import { ForeignRuns } from './foreign-runs.ts';
import { importedRecord, unpackBundle } from './import-bundle.ts';
import type { Recorder, RecorderListener } from './recorder.ts';
import { loadRunData, type RunData, recoverRecord, wasCutOff } from './recovery.ts';
import { checkIsOurs, infoOf, type RunEntry, recordOf } from './run-entry.ts';
import { RunFolder } from './run-folder.ts';
import { isGoingOn, runInfo } from './run-record.ts';
import { type NewRun, type RecordingEnv, startRecording } from './start-recording.ts';
import { readTimeline } from './trace-timeline.ts';
import { traceView } from './trace-view.ts';

export interface RunLibraryEnv extends RecordingEnv {
  readonly isProcessAlive: (pid: number) => boolean;
  readonly listener: RecorderListener & { onRemoved(run: string): void };
  readonly log: (line: string) => void;
}

/** Runs whose samples are kept in memory after they were looked at. */
const MOST_LOADED = 6;
/** Made while a bundle is unpacked; left over only by a crash. */
const UNPACKING = '.unpacking-';

/**
 * All runs of the user, those that go on and those that are over, whichever process records them. NOT_FOUND from any method for a run
 * that is not there, FAILED_PRECONDITION for a change to one that another process records. `close` gives it back.
 */
export class RunLibrary {
  readonly #env: RunLibraryEnv;
  readonly #entries = new Map<string, RunEntry>();
  readonly #foreign: ForeignRuns;
  #watch: FolderWatch | undefined;
  #loaded: RunEntry[] = [];

  private constructor(env: RunLibraryEnv) {
    this.#env = env;
    this.#foreign = new ForeignRuns(env);
  }

  /** Reads the history. A folder that cannot be read is left alone, with a line in the log. */
  static async open(env: RunLibraryEnv): Promise<RunLibrary> {
    await mkdir(env.folder, { recursive: true, mode: 0o700 });
    const library = new RunLibrary(env);
    for (const entry of await readdir(env.folder, { withFileTypes: true })) {
      const path = join(env.folder, entry.name);
      if (entry.name.startsWith(UNPACKING)) await rm(path, { recursive: true, force: true });
      else if (entry.isDirectory()) await library.#readFolder(path);
    }
    library.#watchFolder();
    return library;
  }

  close(): void {
    this.#watch?.close();
  }

  /** Newest first. */
  list(): readonly RunInfo[] {
    return [...this.#entries.values()].map(infoOf).sort((a, b) => b.startedAt - a.startedAt);
  }

  get(id: string): RunInfo {
    return infoOf(this.#entry(id));
  }

  /** Throws FAILED_PRECONDITION when another process records the run. */
  checkIsOurs(id: string): void {
    checkIsOurs(this.#entry(id));
  }

  /** Starts to record a new run. The caller finishes the recorder. */
  async start(run: NewRun): Promise<Recorder> {
    const recorder = await startRecording(run, this.#env);
    const { record, folder } = recorder;
    this.#entries.set(record.id, { folder, record, stamp: 0, recorder, data: Promise.resolve(recorder) });
    this.#env.listener.onInfo(recorder.info);
    return recorder;
  }

  /** Samples and log. What of a live run has not been told yet is told first, so that whoever asks can tell old from new. */
  data(id: string): Promise<RunData> {
    const entry = this.#entry(id);
    entry.recorder?.tell();
    this.#keepLoaded(entry);
    entry.data ??= loadRunData(entry.folder);
    return entry.data;
  }

  traces(id: string): readonly TraceInfo[] {
    return recordOf(this.#entry(id)).traces;
  }

  async trace(id: string, trace: string): Promise<TraceView> {
    const traces = this.traces(id);
    const info = traces.find((each) => each.id === trace);
    if (!info) throw notFound(`Run '${id}' has no trace '${trace}'`);
    return traceView(info, await readTimeline(this.#entry(id).folder, traces, info));
  }

  /** Clients whose graphs the run holds, sorted: `client` or task names, numbered from a client's second graph on. */
  async graphClients(id: string): Promise<readonly string[]> {
    const { folder, recorder } = this.#entry(id);
    const unwritten = recorder?.unwrittenGraphs.keys() ?? [];
    return [...new Set([...(await folder.graphClients()), ...unwritten])].sort();
  }

  /** The graph that a client has sent, with pins applied. */
  async graph(id: string, client: string): Promise<GraphDef> {
    const { folder, recorder } = this.#entry(id);
    const bytes = recorder?.unwrittenGraphs.get(client) ?? (await readFile(folder.graph(client)).catch(ignoreMissing));
    if (!bytes) throw notFound(`Run '${id}' has no graph of '${client}'`);
    return fromBinary(GraphDefSchema, bytes);
  }

  async rename(id: string, names: Pick<RunInfo, 'title' | 'note'>): Promise<RunInfo> {
    const entry = this.#entry(id);
    checkIsOurs(entry);
    if (entry.recorder) {
      entry.recorder.rename(names);
    } else {
      await this.#foreign.leave(entry);
      const record = { ...entry.record, ...names };
      await entry.folder.writeRecord(record, this.#env.writeFile);
      entry.record = record;
      this.#env.listener.onInfo(runInfo(record));
    }
    return infoOf(entry);
  }

  async delete(id: string): Promise<void> {
    const entry = this.#entry(id);
    checkIsOurs(entry);
    if (isGoingOn(infoOf(entry))) throw failedPrecondition(`Run '${infoOf(entry).title}' goes on; stop it first`);
    await rm(entry.folder.path, { recursive: true, force: true });
    this.#forget(entry);
  }

  async export({ run, ...request }: ExportRequest): Promise<ExportedFile> {
    const entry = this.#entry(run);
    await entry.recorder?.flush();
    const { series } = await this.data(run);
    return exportRun({ record: recordOf(entry), folder: entry.folder, series }, request);
  }

  async import(name: string, content: Uint8Array): Promise<RunInfo> {
    const unpacked = new RunFolder(join(this.#env.folder, `${UNPACKING}${randomBytes(6).toString('hex')}`));
    try {
      await unpackBundle(name, content, unpacked.path);
      const record = await importedRecord(unpacked, (id) => this.#entries.has(id));
      await unpacked.writeRecord(record, this.#env.writeFile);
      const folder = new RunFolder(join(this.#env.folder, record.id));
      await rename(unpacked.path, folder.path);
      this.#entries.set(record.id, { folder, record, stamp: 0 });
      this.#env.listener.onInfo(runInfo(record));
      return runInfo(record);
    } finally {
      await rm(unpacked.path, { recursive: true, force: true });
    }
  }

  /** Takes the recorder out of a run that is over. */
  settle(recorder: Recorder): void {
    const entry = this.#entry(recorder.record.id);
    entry.record = recorder.record;
    delete entry.recorder;
    this.#keepLoaded(entry);
  }

  #watchFolder(): void {
    const { folder, log } = this.#env;
    this.#watch = new FolderWatch({
      ...{ folder, log, notRuns: UNPACKING },
      entries: () => this.#entries.values(),
      onFound: (path) => this.#find(path),
      onGone: (entry) => {
        if (!entry.recorder) this.#forget(entry);
      },
      onChanged: (entry) => this.#reread(entry),
      onRound: () => this.#foreign.look(this.#entries.values()),
    });
  }

  async #readFolder(path: string): Promise<void> {
    try {
      const entry = await this.#readEntry(new RunFolder(path));
      this.#entries.set(entry.record.id, entry);
    } catch (error) {
      this.#env.log(`The run in ${path} is left out of the history: ${toStatusError(error).message}`);
    }
  }

  async #readEntry(folder: RunFolder): Promise<RunEntry> {
    const { mtimeMs: stamp } = await stat(folder.record);
    const entry: RunEntry = { folder, stamp, record: await folder.readRecord() };
    if (await wasCutOff(entry.record, folder, this.#env.isProcessAlive)) {
      entry.record = await recoverRecord(entry.record, folder);
      await folder.writeRecord(entry.record, this.#env.writeFile);
    } else if (isGoingOn(entry.record)) {
      await this.#foreign.follow(entry);
    }
    return entry;
  }

  /** A folder that another process has made. */
  async #find(path: string): Promise<void> {
    const folder = new RunFolder(path);
    const record = await folder.readRecord().catch(ignoreMissing);
    // Its record is still to come, or it is ours and just being made.
    if (!record || (isGoingOn(record) && record.owner.pid === process.pid)) return;
    if (this.#entries.has(record.id)) throw failedPrecondition(`it is a copy of run '${record.id}'`);
    const entry = await this.#readEntry(folder);
    if (this.#entries.has(record.id)) return;
    this.#entries.set(record.id, entry);
    this.#env.listener.onInfo(infoOf(entry));
  }

  async #reread(entry: RunEntry): Promise<void> {
    if (entry.recorder || entry.followed) return;
    const record = await entry.folder.readRecord();
    if (JSON.stringify(record) === JSON.stringify(entry.record)) return;
    entry.record = record;
    this.#env.listener.onInfo(infoOf(entry));
  }

  #entry(id: string): RunEntry {
    const entry = this.#entries.get(id);
    if (entry) return entry;
    throw notFound(`There is no run '${id}'; it may have been deleted`);
  }

  #forget(entry: RunEntry): void {
    const { id } = recordOf(entry);
    this.#loaded = this.#loaded.filter((each) => each !== entry);
    if (this.#entries.delete(id)) this.#env.listener.onRemoved(id);
  }

  /** Forgets the samples of the run that was not looked at for longest. */
  #keepLoaded(entry: RunEntry): void {
    this.#loaded = [entry, ...this.#loaded.filter((each) => each !== entry)];
    for (const old of this.#loaded.splice(MOST_LOADED)) if (!old.recorder && !old.followed) delete old.data;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
