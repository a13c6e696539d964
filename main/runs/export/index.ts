import { readFile } from 'node:fs/promises';
import type { ExportedFile, ExportFormat, ExportRequest } from '#proto/ipc/contract.ts';
import { invalidArgument, notFound } from '#proto/wire/status.ts';
import { readTimeline } from '../trace-timeline.ts';
import { exportBundle } from './bundle.ts';
import type { ExportOneTrace, ExportRun, ExportSource, ExportTrace } from './export-source.ts';
import { exportSeriesCsv } from './series-csv.ts';
import { exportSeriesJson } from './series-json.ts';
import { exportEventFile } from './tensorboard.ts';
import { exportChromeTrace, exportNodeStatistics, exportRunMetadata } from './traces.ts';

/** Every format is made of the whole run, or of one of its traces. */
const exporters: { readonly [F in ExportFormat]: { readonly run: ExportRun } | { readonly trace: ExportOneTrace } } = {
  bundle: { run: exportBundle },
  'series.csv': { run: exportSeriesCsv },
  'series.json': { run: exportSeriesJson },
  tensorboard: { run: exportEventFile },
  'trace.json': { trace: exportChromeTrace },
  'trace.pb': { trace: exportRunMetadata },
  'nodes.csv': { trace: exportNodeStatistics },
};

/** NOT_FOUND for a trace that is not there, INVALID_ARGUMENT when one of several must be named. */
export async function exportRun(source: ExportSource, { format, trace }: Omit<ExportRequest, 'run'>): Promise<ExportedFile> {
  const exporter = exporters[format];
  return 'run' in exporter ? exporter.run(source) : exporter.trace(source, findTrace(source, trace));
}

function findTrace({ record, folder }: ExportSource, id: string | undefined): ExportTrace {
  const { traces } = record;
  if (id === undefined && traces.length > 1) {
    throw invalidArgument(`Say which trace: the run has ${traces.map((trace) => `${trace.id} (${trace.name})`).join(', ')}`);
  }
  const info = id === undefined ? traces[0] : traces.find((trace) => trace.id === id);
  if (!info) throw notFound(id === undefined ? 'The run has no trace' : `The run has no trace '${id}'`);
  return { info, readMetadata: () => readFile(folder.trace(info.id)), readTimeline: () => readTimeline(folder, traces, info) };
}
