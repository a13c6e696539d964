import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Recorder, type RecorderEnv } from './recorder.ts';
import { RunFolder } from './run-folder.ts';
import type { RunRecord } from './run-record.ts';

export interface RecordingEnv extends Omit<RecorderEnv, 'folder'> {
  /** All runs lie in it, each in a folder of its own. */
  readonly folder: string;
  /** Written into every run. */
  readonly versions: Readonly<Record<string, string>>;
}

/** What is known of a run before it begins. */
export type NewRun = Pick<RunRecord, 'title' | 'program' | 'programTitle' | 'tasks' | 'cluster' | 'clusterId'>;

/** Makes the folder of a new run, in which this process records it. The caller finishes the recorder. Rejects when the folder cannot be made. */
export function startRecording(run: NewRun, { folder, versions, ...env }: RecordingEnv): Promise<Recorder> {
  const record = newRecord(run, versions);
  return Recorder.start(record, { ...env, folder: new RunFolder(join(folder, record.id)) });
}

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
    restarts: [],
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
