import { readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import type { TraceInfo } from '#proto/ipc/contract.ts';
import { LogStore } from './log-store.ts';
import type { RunFolder } from './run-folder.ts';
import { isGoingOn, type RunRecord } from './run-record.ts';
import { readSeriesFile } from './series-file.ts';
import { SeriesStore } from './series-store.ts';

/** Samples and log of a run that is not being recorded here. */
export interface RunData {
  readonly series: SeriesStore;
  readonly log: LogStore;
}

export async function loadRunData(folder: RunFolder): Promise<RunData> {
  const series = new SeriesStore();
  await readSeriesFile(folder.series, series).catch(ignoreMissing);
  return { series, log: await LogStore.load(folder.log) };
}

/** A recorder writes its record at least every 10 s. */
export const SILENT_MS = 60_000;

/**
 * Whether the run claims to go on though nobody records it any more. One of another process of this machine is believed: it may only
 * have slept with the machine.
 */
export async function wasCutOff(record: RunRecord, folder: RunFolder, isProcessAlive: (pid: number) => boolean): Promise<boolean> {
  if (!isGoingOn(record)) return false;
  const { pid, host } = record.owner;
  if (pid === process.pid) return true;
  if (host === hostname()) return !isProcessAlive(pid);
  return Date.now() - (await stat(folder.record)).mtimeMs > SILENT_MS;
}

/** The record of a run that was cut off, with all that reached the disk. */
export async function recoverRecord(record: RunRecord, folder: RunFolder): Promise<RunRecord> {
  const { series, log } = await loadRunData(folder);
  const { lines } = await log.page(Math.max(0, log.total - 1));
  const times = series.all().map(({ times }) => times.at(-1) ?? 0);
  return {
    ...record,
    state: 'failed',
    errorCode: 'ABORTED',
    status: 'Lanflow ended while this run went on. All that was recorded until then is here.',
    series: series.infos(),
    logLines: log.total,
    traces: [...record.traces, ...(await unlistedTraces(record, folder))],
    endedAt: Math.max(record.startedAt, lines[0]?.time ?? 0, ...times),
  };
}

async function unlistedTraces({ traces }: RunRecord, folder: RunFolder): Promise<TraceInfo[]> {
  const files = (await readdir(dirname(folder.trace('any'))).catch(ignoreMissing)) ?? [];
  const ids = files.filter((file) => file.endsWith('.pb')).map((file) => basename(file, '.pb'));
  const known = new Set(traces.map(({ id }) => id));
  return ids.filter((id) => !known.has(id)).map((id) => ({ id, name: id, client: '', duration: 0, devices: [], entries: 0 }));
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
