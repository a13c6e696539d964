import { toStatusError } from '#proto/wire/status.ts';
import { FollowedRun } from './followed-run.ts';
import type { RecorderListener } from './recorder.ts';
import { recoverRecord, SILENT_MS, wasCutOff } from './recovery.ts';
import { infoOf, type RunEntry } from './run-entry.ts';
import type { WriteFile } from './run-folder.ts';
import { isGoingOn } from './run-record.ts';

export interface ForeignRunsEnv {
  readonly writeFile: WriteFile;
  readonly isProcessAlive: (pid: number) => boolean;
  readonly listener: RecorderListener;
  readonly log: (line: string) => void;
}

/** Follows the runs that other processes record, and takes care of those whose process has ended. */
export class ForeignRuns {
  readonly #env: ForeignRunsEnv;

  constructor(env: ForeignRunsEnv) {
    this.#env = env;
  }

  /** Nothing is told of what is there already. */
  async follow(entry: RunEntry): Promise<void> {
    const followed = await FollowedRun.open(entry.folder, entry.record);
    entry.followed = followed;
    entry.data = Promise.resolve(followed);
  }

  /** Tells what is new in those of the entries that are followed. Never rejects. */
  async look(entries: Iterable<RunEntry>): Promise<void> {
    for (const entry of [...entries]) {
      try {
        if (entry.followed) await this.#lookAt(entry, entry.followed);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue; // It is being deleted.
        delete entry.followed;
        this.#env.log(`The run in ${entry.folder.path} is not followed any more: ${toStatusError(error).message}`);
      }
    }
  }

  /** Takes the last that there is of a run that is over. */
  async leave(entry: RunEntry): Promise<void> {
    await this.look([entry]);
    delete entry.followed;
  }

  async #lookAt(entry: RunEntry, followed: FollowedRun): Promise<void> {
    const { listener, isProcessAlive } = this.#env;
    const { samples, lines, isRecordNew } = await followed.look();
    const { record } = followed;
    entry.record = record;
    if (samples.length > 0) listener.onSamples(record.id, samples);
    if (lines.length > 0) listener.onLines(record.id, lines);
    const isNew = isRecordNew || samples.length + lines.length > 0;
    if (isNew) listener.onInfo(infoOf(entry));
    if (isGoingOn(record)) {
      // Its process id may have become another program's.
      const isSilent = followed.silence > SILENT_MS;
      if (isSilent || (await wasCutOff(record, entry.folder, isProcessAlive))) await this.#recover(entry);
    } else if (!isNew) {
      // Its last samples may be written after its record: they would have been seen by now.
      delete entry.followed;
    }
  }

  async #recover(entry: RunEntry): Promise<void> {
    delete entry.followed;
    delete entry.data;
    entry.record = await recoverRecord(entry.record, entry.folder);
    await entry.folder.writeRecord(entry.record, this.#env.writeFile);
    this.#env.listener.onInfo(infoOf(entry));
  }
}
