import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';
import { unzipSync } from 'fflate';
import { invalidArgument, resourceExhausted, toStatusError } from '#proto/wire/status.ts';
import { recoverRecord } from './recovery.ts';
import { RUN_FILES, type RunFolder } from './run-folder.ts';
import { isGoingOn, type RunRecord } from './run-record.ts';

/** Most that a bundle may hold, unpacked. A bundle comes from anywhere: a small one can hold a disk full of zeros. */
export const MAX_UNPACKED_BYTES = 2 * 2 ** 30;
const MAX_FILES = 100_000;

/**
 * Unpacks a run bundle into `folder`. Only what belongs to a run is taken, by name, so that nothing is written elsewhere. Rejects
 * with INVALID_ARGUMENT when it is no run bundle, RESOURCE_EXHAUSTED when it is too large.
 */
export async function unpackBundle(name: string, content: Uint8Array, folder: string, maxBytes = MAX_UNPACKED_BYTES): Promise<void> {
  const entries = listEntries(name, content);
  if (entries.reduce((sum, { size }) => sum + size, 0) > maxBytes) {
    throw resourceExhausted(`${name} holds more than ${Math.round(maxBytes / 2 ** 20)} MiB, which no run bundle does`);
  }
  for (const { path, entry } of entries) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, readEntry(name, content, entry), { mode: 0o600, flag: 'wx' });
    await otherWork();
  }
}

interface BundleEntry {
  /** Its name in the zip. */
  readonly entry: string;
  /** Below the folder of the run. */
  readonly path: string;
  readonly size: number;
}

/** The files of the run, whether they lie in a folder of the zip, as we pack them, or not. */
function listEntries(name: string, content: Uint8Array): readonly BundleEntry[] {
  const all = new Map<string, number>();
  unzip(name, content, ({ name: entry, originalSize }) => {
    all.set(entry, originalSize);
    return false;
  });
  const record = [...all.keys()].find((entry) => /^(?:[^/]+\/)?run\.json$/.test(entry));
  if (record === undefined) throw invalidArgument(`${name} is no run bundle: there is no run.json in it`);
  if (all.size > MAX_FILES) throw resourceExhausted(`${name} holds ${all.size} files, which no run bundle does`);
  const prefix = record.slice(0, -'run.json'.length);
  return [...all]
    .filter(([entry]) => entry.startsWith(prefix) && RUN_FILES.test(entry.slice(prefix.length)))
    .map(([entry, size]) => ({ entry, path: entry.slice(prefix.length), size }));
}

/** At most as many bytes as the entry claims: the size was counted before. */
function readEntry(name: string, content: Uint8Array, wanted: string): Uint8Array {
  const files = unzip(name, content, ({ name: entry }) => entry === wanted);
  return files[wanted] ?? new Uint8Array();
}

function unzip(name: string, content: Uint8Array, filter: (file: { name: string; originalSize: number }) => boolean) {
  try {
    return unzipSync(content, { filter });
  } catch (error) {
    throw invalidArgument(`${name} is no zip file that can be read: ${toStatusError(error).message}`, { cause: error });
  }
}

/** The record in an unpacked bundle, under an id that no run here has. */
export async function importedRecord(folder: RunFolder, isTaken: (id: string) => boolean): Promise<RunRecord> {
  const record = await folder.readRecord();
  const id = isTaken(record.id) ? `${record.id.slice(0, 90)}-${randomBytes(2).toString('hex')}` : record.id;
  if (!isGoingOn(record)) return { ...record, id };
  const { endedAt } = await recoverRecord(record, folder);
  return { ...record, id, state: 'stopped', status: 'The bundle was made while the run went on.', endedAt };
}
