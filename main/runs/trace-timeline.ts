import { readFile } from 'node:fs/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { fileError } from '#proto/files/file-error.ts';
import { type RunMetadata, RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import type { TraceInfo } from '#proto/ipc/contract.ts';
import { stepTimeline } from '#proto/wire/clocks/step-timeline.ts';
import { taskOfDevice } from '#proto/wire/device-name.ts';
import { failedPrecondition } from '#proto/wire/status.ts';
import type { Timeline } from '#proto/wire/timeline.ts';
import type { RunFolder } from './run-folder.ts';

/** Traces before and after one that are read for what they tell about its clocks, and how many entries these may have in all. */
const NEIGHBOURS = 3;
const MOST_ENTRIES = 20_000;

/**
 * The timeline in a serialized RunMetadata, by the clock of the master; without devices when its step was not traced. A client that
 * is named after a task has that one's master.
 */
export function timelineOf(metadata: Uint8Array, client: string): Timeline {
  return stepTimeline(fromBinary(RunMetadataSchema, metadata), { master: taskOfDevice(client) });
}

/** The timeline of one of the `traces` of a run. Those around it help to tell by how much the clocks of its tasks were off. */
export async function readTimeline(folder: RunFolder, traces: readonly TraceInfo[], info: TraceInfo): Promise<Timeline> {
  const read = ({ id }: TraceInfo): Promise<RunMetadata> => readTrace(folder.trace(id));
  const metadata = await read(info);
  // Whether a neighbour can be read is told when it is looked at itself.
  const readings = await Promise.allSettled(neighbours(traces, info).map(read));
  const others = readings.flatMap((reading) => (reading.status === 'fulfilled' ? [reading.value] : []));
  return stepTimeline(metadata, { master: taskOfDevice(info.client), others });
}

/** NOT_FOUND and the like when the file cannot be read, FAILED_PRECONDITION when it holds something else; both name it. */
async function readTrace(path: string): Promise<RunMetadata> {
  const content = await readFile(path).catch((error: unknown) => {
    throw fileError(`The trace ${path} cannot be read`, error);
  });
  try {
    return fromBinary(RunMetadataSchema, content);
  } catch (error) {
    throw failedPrecondition(`The trace ${path} is damaged; the others of the run can still be opened`, { cause: error });
  }
}

/** Nearest first; none for a trace of one task. */
function neighbours(traces: readonly TraceInfo[], info: TraceInfo): readonly TraceInfo[] {
  if (new Set(info.devices.map(taskOfDevice)).size < 2) return [];
  const own = traces.indexOf(info);
  const near = Array.from({ length: NEIGHBOURS }, (_, i) => [own - 1 - i, own + 1 + i]).flat();
  let entries = 0;
  return near.flatMap((index) => {
    const trace = traces[index];
    if (!trace) return [];
    entries += trace.entries;
    return entries > MOST_ENTRIES ? [] : [trace];
  });
}
