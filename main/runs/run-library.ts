import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ExportedFile, ExportRequest, RunInfo, TraceInfo, TraceView } from '#proto/ipc/contract.ts';
import { failedPrecondition, notFound, toStatusError } from '#proto/wire/status.ts';
import { exportRun } from './export/index.ts';
import { unpackBundle } from './import-bundle.ts';
import { Recorder, type RecorderListener } from './recorder.ts';
import { loadRunData, type RunData, recoverRecord, wasCutOff } from './recovery.ts';
import { RunFolder, type WriteFile } from './run-folder.ts';
import { isGoingOn, type RunRecord, runInfo } from './run-record.ts';
import { timelineOf, traceView } from './trace-view.ts';

export interface RunLibraryEnv {
  /** The runs lie in it, each in a folder of its own. */
  readonly folder: string;
  readonly writeFile: WriteFile;
  readonly isProcessAlive: (pid: number) => boolean;
  readonly listener: RecorderListener & { onRemoved(run: string): void };
  readonly log: (line: string) => void;
  /** Written into every run. */
  readonly versions: Readonly<Record<string, string>>;
}

interface Entry {
  readonly folder: RunFolder;
  record: RunRecord;
  /** While it is being recorded here. */
  recorder?: Recorder;
  data?: Promise<RunData>;
}

/** Runs whose samples are kept in memory after they were looked at. */
const MOST_LOADED = 6;
/** Made while a bundle is unpacked; left over only by a crash. */
const UNPACKING = '.unpacking-';

/** All runs of the user, those that go on and those that are over. NOT_FOUND from any method for a run that is not there. */
export class RunLibrary {
  readonly #env: RunLibraryEnv;
  readonly #entries = new Map<string, Entry>();
  #loaded: Entry[] = [];

  private constructor(env: RunLibraryEnv) {
    this.#env = env;
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
    return library;
  }

  /** Newest first. */
  list(): readonly RunInfo[] {
    return [...this.#entries.values()].map(infoOf).sort((a, b) => b.startedAt - a.startedAt);
  }

  get(id: string): RunInfo {
    return infoOf(this.#entry(id));
  }

  /** Starts to record a new run. The caller finishes the recorder. */
  async start(run: Pick<RunRecord, 'title' | 'program' | 'programTitle' | 'tasks' | 'cluster'>): Promise<Recorder> {
    const { folder: root, writeFile, listener, versions } = this.#env;
    const record = newRecord(run, versions);
    const folder = new RunFolder(join(root, record.id));
    const recorder = await Recorder.start(record, { folder, writeFile, listener });
    this.#entries.set(record.id, { folder, record, recorder, data: Promise.resolve(recorder) });
    listener.onInfo(recorder.info);
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
    const info = this.traces(id).find((each) => each.id === trace);
    if (!info) throw notFound(`Run '${id}' has no trace '${trace}'`);
    return traceView(info, timelineOf(await readFile(this.#entry(id).folder.trace(trace))));
  }

  async rename(id: string, names: Pick<RunInfo, 'title' | 'note'>): Promise<RunInfo> {
    const entry = this.#entry(id);
    if (entry.recorder) {
      entry.recorder.rename(names);
    } else {
      const record = { ...entry.record, ...names };
      await entry.folder.writeRecord(record, this.#env.writeFile);
      entry.record = record;
      this.#env.listener.onInfo(runInfo(record));
    }
    return infoOf(entry);
  }

  async delete(id: string): Promise<void> {
    const entry = this.#entry(id);
    if (isGoingOn(infoOf(entry))) throw failedPrecondition(`Run '${infoOf(entry).title}' goes on; stop it first`);
    await rm(entry.folder.path, { recursive: true, force: true });
    this.#entries.delete(id);
    this.#loaded = this.#loaded.filter((each) => each !== entry);
    this.#env.listener.onRemoved(id);
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
      const record = await imported(unpacked, (id) => this.#entries.has(id));
      await unpacked.writeRecord(record, this.#env.writeFile);
      const folder = new RunFolder(join(this.#env.folder, record.id));
      await rename(unpacked.path, folder.path);
      this.#entries.set(record.id, { folder, record });
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

  async #readFolder(path: string): Promise<void> {
    const folder = new RunFolder(path);
    try {
      let record = await folder.readRecord();
      if (await wasCutOff(record, folder, this.#env.isProcessAlive)) {
        record = await recoverRecord(record, folder);
        await folder.writeRecord(record, this.#env.writeFile);
      }
      this.#entries.set(record.id, { folder, record });
    } catch (error) {
      this.#env.log(`The run in ${path} is left out of the history: ${toStatusError(error).message}`);
    }
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry) return entry;
    throw notFound(`There is no run '${id}'; it may have been deleted`);
  }

  /** Forgets the samples of the run that was not looked at for longest. */
  #keepLoaded(entry: Entry): void {
    this.#loaded = [entry, ...this.#loaded.filter((each) => each !== entry)];
    for (const old of this.#loaded.splice(MOST_LOADED)) if (!old.recorder) delete old.data;
  }
}

function recordOf({ recorder, record }: Entry): RunRecord {
  return recorder?.record ?? record;
}

function infoOf(entry: Entry): RunInfo {
  return runInfo(recordOf(entry));
}

type NewRun = Pick<RunRecord, 'title' | 'program' | 'programTitle' | 'tasks' | 'cluster'>;

function newRecord(run: NewRun, versions: RunRecord['versions']): RunRecord {
  const now = new Date();
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const name = run.program
    .replace(/^.*[\\/]/, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 40);
  return {
    ...run,
    version: 1,
    id: `${stamp}-${name}-${randomBytes(2).toString('hex')}`,
    note: '',
    state: 'starting',
    status: '',
    errorCode: '',
    clients: [],
    series: [],
    traces: [],
    steps: 0,
    logLines: 0,
    startedAt: now.getTime(),
    endedAt: 0,
    outcomes: {},
    problems: [],
    versions,
    owner: { pid: process.pid, host: hostname() },
  };
}

/** The record in an unpacked bundle, under an id that no run here has. */
async function imported(folder: RunFolder, isTaken: (id: string) => boolean): Promise<RunRecord> {
  const record = await folder.readRecord();
  const id = isTaken(record.id) ? `${record.id.slice(0, 90)}-${randomBytes(2).toString('hex')}` : record.id;
  if (!isGoingOn(record)) return { ...record, id };
  const { endedAt } = await recoverRecord(record, folder);
  return { ...record, id, state: 'stopped', status: 'The bundle was made while the run went on.', endedAt };
}
