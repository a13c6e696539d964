import type { ExportedFile, TraceInfo } from '#proto/ipc/contract.ts';
import type { Timeline } from '#proto/wire/timeline.ts';
import type { RunFolder } from '../run-folder.ts';
import type { RunRecord } from '../run-record.ts';
import type { SeriesStore } from '../series-store.ts';

/** What can be exported of a run. Everything that was recorded so far is in the folder. */
export interface ExportSource {
  readonly record: RunRecord;
  readonly folder: RunFolder;
  readonly series: SeriesStore;
}

/** The one trace that a file is to hold, for the formats that hold one. */
export interface ExportTrace {
  readonly info: TraceInfo;
  /** A serialized RunMetadata, as it was recorded. */
  readonly readMetadata: () => Promise<Uint8Array>;
  /** By one clock. */
  readonly readTimeline: () => Promise<Timeline>;
}

export type ExportRun = (source: ExportSource) => Promise<ExportedFile>;
export type ExportOneTrace = (source: ExportSource, trace: ExportTrace) => Promise<ExportedFile>;

/** As part of a file's name on every system. */
export function fileNamePart(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[-.]+|[-.]+$/g, '') || 'trace';
}
