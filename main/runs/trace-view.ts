import { fromBinary } from '@bufbuild/protobuf';
import { RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import type { TraceDevice, TraceInfo, TraceView } from '#proto/ipc/contract.ts';
import { stepTimeline } from '#proto/wire/clocks/step-timeline.ts';
import { taskOfDevice } from '#proto/wire/device-name.ts';
import type { DeviceTimeline, Timeline, TimelineEntry } from '#proto/wire/timeline.ts';

/**
 * The timeline in a serialized RunMetadata, by the clock of the master; without devices when its step was not traced. A client that
 * is named after a task has that one's master.
 */
export function timelineOf(metadata: Uint8Array, client: string): Timeline {
  return stepTimeline(fromBinary(RunMetadataSchema, metadata), taskOfDevice(client));
}

export function traceInfo(id: string, name: string, client: string, { duration, devices }: Timeline): TraceInfo {
  const entries = devices.reduce((sum, device) => sum + device.entries.length, 0);
  return { id, name, client, duration, devices: devices.map(({ device }) => device), entries };
}

export function traceView(info: TraceInfo, { devices, duration }: Timeline): TraceView {
  return { ...info, duration, lanes: devices.map(traceDevice) };
}

function traceDevice({ device, entries, lanes, clock }: DeviceTimeline): TraceDevice {
  const column = (of: (entry: TimelineEntry) => number): Float64Array => Float64Array.from(entries, of);
  return {
    device,
    clock: clock ? { offset: clock.offset, error: clock.error ?? null } : null,
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
