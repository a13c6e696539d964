import type { RunInfo } from '#proto/ipc/contract.ts';
import { failedPrecondition } from '#proto/wire/status.ts';
import type { FollowedRun } from './followed-run.ts';
import type { Recorder } from './recorder.ts';
import type { RunData } from './recovery.ts';
import type { RunFolder } from './run-folder.ts';
import { isGoingOn, type RunRecord, runInfo } from './run-record.ts';

/** A run of the library. */
export interface RunEntry {
  readonly folder: RunFolder;
  record: RunRecord;
  /** When its record was changed, as far as this process knows; 0 while that is not known. */
  stamp: number;
  /** While it is being recorded here. */
  recorder?: Recorder;
  /** While another process records it. */
  followed?: FollowedRun;
  data?: Promise<RunData>;
}

export function recordOf({ recorder, followed, record }: RunEntry): RunRecord {
  return (recorder ?? followed)?.record ?? record;
}

export function infoOf(entry: RunEntry): RunInfo {
  return runInfo(recordOf(entry));
}

/** Throws FAILED_PRECONDITION when another process is at work on the run. */
export function checkIsOurs(entry: RunEntry): void {
  const { title, owner, ...record } = recordOf(entry);
  if (entry.recorder || !isGoingOn(record)) return;
  throw failedPrecondition(
    `Run '${title}' is being recorded by another Lanflow (process ${owner.pid} on ${owner.host}): stop it there, or wait until it is over`,
  );
}
