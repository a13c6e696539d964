import { create, fromBinary } from '@bufbuild/protobuf';
import { RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { StepStatsSchema } from '#proto/generated/tensorflow/step_stats_pb.ts';
import type { TraceDevice, TraceInfo, TraceView } from '#proto/ipc/contract.ts';
import { buildTimeline, type DeviceTimeline, type Timeline, type TimelineEntry } from '#proto/wire/timeline.ts';

/** The timeline in a serialized RunMetadata; without devices when its step was not traced. */
export function timelineOf(metadata: Uint8Array): Timeline {
  return buildTimeline(fromBinary(RunMetadataSchema, metadata).stepStats ?? create(StepStatsSchema));
}

export function traceInfo(id: string, name: string, client: string, { duration, devices }: Timeline): TraceInfo {
  const entries = devices.reduce((sum, device) => sum + device.entries.length, 0);
  return { id, name, client, duration, devices: devices.map(({ device }) => device), entries };
}

export function traceView(info: TraceInfo, { devices }: Timeline): TraceView {
  return { ...info, lanes: devices.map(traceDevice) };
}

function traceDevice({ device, entries, lanes }: DeviceTimeline): TraceDevice {
  const column = (of: (entry: TimelineEntry) => number): Float64Array => Float64Array.from(entries, of);
  return {
    device,
    rows: lanes,
    names: entries.map(({ name }) => name),
    ops: entries.map(({ op }) => op),
    row: Uint16Array.from(entries, ({ lane }) => lane),
    start: column(({ start }) => start),
    end: column(({ end }) => end),
    scheduled: column(({ scheduled }) => scheduled),
    bytes: column(({ transfer, outputBytes }) => transfer?.bytes ?? outputBytes),
    inputs: entries.map(({ inputs, transfer }) => (transfer ? [transfer.tensor] : inputs)),
    from: entries.map(({ transfer }) => transfer?.from ?? ''),
  };
}
