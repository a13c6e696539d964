import { writeFile } from 'node:fs/promises';
import { toBinary } from '@bufbuild/protobuf';
import { type RunMetadata, RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { clockText } from '#proto/wire/clocks/clock-text.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { stepTimeline, type Timeline, toChromeTrace } from '../client/index.ts';
import type { Terminal } from './terminal.ts';

/** The timeline of a step that was run with FULL_TRACE, by one clock. Throws INVALID_ARGUMENT for one that was not. */
export function timelineOf(metadata: RunMetadata | undefined): Timeline {
  if (!metadata?.stepStats?.devStats.length) throw invalidArgument('There are no step stats: the step was not run with FULL_TRACE');
  return stepTimeline(metadata);
}

/** Device → nodes, with start and duration in microseconds, as the tutorials print a trace. A clock that was off is told beside its device. */
export function formatTimeline({ devices }: Timeline): string {
  const head = ({ device, clock }: Timeline['devices'][number]): string => (clock ? `${device}  ${clockText(clock)}` : device);
  const lines = ({ entries }: Timeline['devices'][number]): string[] =>
    entries.map((entry) => `  ${entryTimes(entry)}  ${entryText(entry)}`);
  return devices.flatMap((device) => [head(device), ...lines(device)]).join('\n');
}

type Entry = Timeline['devices'][number]['entries'][number];

function entryTimes({ start, end }: Entry): string {
  return `${start.toFixed(0).padStart(8)} µs ${`+${(end - start).toFixed(0)}`.padStart(7)} µs`;
}

function entryText({ name, op, transfer }: Entry): string {
  if (!transfer) return `${name} (${op})`;
  return `${name}: ${transfer.tensor}, ${transfer.bytes} bytes from ${transfer.from}`;
}

/** Writes a trace for Perfetto and for TensorFlow's own tools, as far as a path is given for each. */
export async function writeTrace(metadata: RunMetadata, files: { chrome?: string; pb?: string }, terminal: Terminal): Promise<void> {
  if (files.pb !== undefined) {
    await writeFile(files.pb, toBinary(RunMetadataSchema, metadata));
    terminal.log(`trace written: ${files.pb} (RunMetadata)`);
  }
  if (files.chrome !== undefined) {
    await writeFile(files.chrome, JSON.stringify(toChromeTrace(timelineOf(metadata))));
    terminal.log(`trace written: ${files.chrome} (opens in Perfetto and chrome://tracing)`);
  }
}
