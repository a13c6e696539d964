import { toChromeTrace } from '#proto/wire/chrome-trace.ts';
import type { DeviceTimeline, Timeline, TimelineEntry } from '#proto/wire/timeline.ts';
import { strictJson } from '../strict-json.ts';
import { csvRow } from './csv.ts';
import { type ExportOneTrace, type ExportSource, type ExportTrace, fileNamePart } from './export-source.ts';
import { joinTexts } from './pieces.ts';

const fileName = ({ record }: ExportSource, { info }: ExportTrace, ending: string): string =>
  `${record.id}-${fileNamePart(info.name)}${ending}`;

/** For Perfetto and chrome://tracing. */
export const exportChromeTrace: ExportOneTrace = async (source, trace) => ({
  name: fileName(source, trace, '.trace.json'),
  content: Buffer.from(strictJson(toChromeTrace(await trace.readTimeline()))),
});

/** RunMetadata, as TensorFlow's own tools read it: its times are as recorded, each task's by its own clock. */
export const exportRunMetadata: ExportOneTrace = async (source, trace) => ({
  name: fileName(source, trace, '.pb'),
  content: await trace.readMetadata(),
});

/** One row for each run of a node and each transfer, in microseconds from the start of the step, by the clock of the master. */
export const exportNodeStatistics: ExportOneTrace = async (source, trace) => ({
  name: fileName(source, trace, '.nodes.csv'),
  content: await joinTexts(nodeRows(await trace.readTimeline())),
});

/** Head of each column, and what stands in it. */
const columns: Readonly<Record<string, (entry: TimelineEntry, device: DeviceTimeline) => string | number>> = {
  node: ({ name }) => name,
  op: ({ op }) => op,
  scheduled_us: ({ scheduled }) => scheduled,
  start_us: ({ start }) => start,
  end_us: ({ end }) => end,
  duration_us: ({ start, end }) => end - start,
  kernel_us: ({ opStart, opEnd }) => opEnd - opStart,
  output_bytes: ({ outputBytes }) => outputBytes,
  tensor: ({ transfer }) => transfer?.tensor ?? '',
  from_device: ({ transfer }) => transfer?.from ?? '',
  transfer_bytes: ({ transfer }) => transfer?.bytes ?? '',
  inputs: ({ inputs }) => inputs.join(' '),
  // What was taken off the times of the device.
  clock_offset_us: (_, { clock }) => clock?.offset ?? 0,
};

function* nodeRows({ devices }: Timeline): Generator<string> {
  yield csvRow(['device', ...Object.keys(columns)]);
  for (const device of devices) {
    for (const entry of device.entries) yield csvRow([device.device, ...Object.values(columns).map((of) => of(entry, device))]);
  }
}
