import type { TraceDevice, TraceInfo, TraceView } from '#proto/ipc/contract.ts';
import type { DeviceTimeline, Timeline, TimelineEntry } from '#proto/wire/timeline.ts';

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
