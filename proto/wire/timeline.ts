import type { DeviceStepStats, NodeExecStats, StepStats } from '#proto/generated/tensorflow/step_stats_pb.ts';
import type { ClockOffset } from './clocks/estimate-clocks.ts';
import { parseDeviceName } from './device-name.ts';
import { assignLanes } from './lanes.ts';
import { parseTransferLabel, type Transfer } from './transfer-label.ts';

/** One run of one node, or one transfer. Times in microseconds from the start of the timeline; fractions where known. */
export interface StepEntry {
  /** Name of the node; `RecvTensor` for a transfer. */
  readonly name: string;
  /** Op; `unknown` where the step stats do not tell. */
  readonly op: string;
  readonly inputs: readonly string[];
  /** All inputs were there; at most `start`. */
  readonly scheduled: number;
  readonly start: number;
  /** The kernel's own time lies between these. */
  readonly opStart: number;
  readonly opEnd: number;
  readonly end: number;
  /** Bytes of all outputs. */
  readonly outputBytes: number;
  /** Set for a tensor that came from another task; it stands at the receiving device. */
  readonly transfer: Transfer | undefined;
}

export interface TimelineEntry extends StepEntry {
  /** Row within the device: entries of one row never overlap. */
  readonly lane: number;
}

export interface DeviceEntries<Entry = StepEntry> {
  /** Full device name. */
  readonly device: string;
  /** By start. */
  readonly entries: readonly Entry[];
}

export interface DeviceTimeline extends DeviceEntries<TimelineEntry> {
  readonly lanes: number;
  /** How far its task's clock was off; undefined where the times are as recorded. */
  readonly clock: ClockOffset | undefined;
}

/** What ran where, when: the nodes of one step by device. */
export interface StepEntries<Device = DeviceEntries> {
  /** Microseconds since the Unix epoch. */
  readonly origin: bigint;
  /** Parameter servers first, then by job, task and device; numbers in numerical order. */
  readonly devices: readonly Device[];
}

export interface Timeline extends StepEntries<DeviceTimeline> {
  /** Length of the step as far as it was recorded, in microseconds. */
  readonly duration: number;
}

/**
 * The timeline of a step, with the times that each task recorded by its own clock. Lists of the same device are joined (a master
 * hands on transfers and kernels apart). Times that contradict each other are put in order: an entry never ends before it starts.
 */
export function buildTimeline(stepStats: StepStats): Timeline {
  const { origin, devices } = readStepStats(stepStats);
  return layOutTimeline(
    origin,
    devices.map(({ device, entries }) => ({ device, entries, clock: undefined })),
  );
}

/** What `buildTimeline` shows, before it is laid out in lanes. Entries by start. */
export function readStepStats({ devStats }: StepStats): StepEntries {
  const byDevice = joinDevices(devStats);
  const starts = [...byDevice.values()].flatMap((nodes) => nodes.map((node) => node.allStartMicros));
  const origin = BigInt64Array.from(starts).sort()[0] ?? 0n;
  const devices = [...byDevice].sort(([a], [b]) => compareDevices(a, b));
  return {
    origin,
    devices: devices.map(([device, nodes]) => ({ device, entries: nodes.map((node) => readEntry(node, origin)).sort(byStart) })),
  };
}

/** Sorts the entries of each device by start and gives each its lane. */
export function layOutTimeline(origin: bigint, devices: readonly (DeviceEntries & Pick<DeviceTimeline, 'clock'>)[]): Timeline {
  const duration = devices.reduce((most, { entries }) => entries.reduce((latest, { end }) => Math.max(latest, end), most), 0);
  return { origin, duration, devices: devices.map(layOutDevice) };
}

function layOutDevice({ entries, ...device }: DeviceEntries & Pick<DeviceTimeline, 'clock'>): DeviceTimeline {
  const sorted = entries.toSorted(byStart);
  const lanes = assignLanes(sorted);
  return {
    ...device,
    entries: sorted.map((entry, i) => ({ ...entry, lane: lanes[i] ?? 0 })),
    lanes: lanes.reduce((most, lane) => Math.max(most, lane + 1), 0),
  };
}

function byStart(a: StepEntry, b: StepEntry): number {
  return a.start - b.start || a.end - b.end;
}

function joinDevices(devStats: readonly DeviceStepStats[]): Map<string, NodeExecStats[]> {
  const byDevice = new Map<string, NodeExecStats[]>();
  for (const { device, nodeStats } of devStats) byDevice.set(device, [...(byDevice.get(device) ?? []), ...nodeStats]);
  return byDevice;
}

function readEntry(node: NodeExecStats, origin: bigint): StepEntry {
  const start = Number(node.allStartMicros - origin);
  const end = start + Math.max(0, relative(node.allEndRelMicros, node.allEndRelNanos));
  const within = (time: number): number => Math.min(Math.max(time, start), end);
  const opStart = within(start + relative(node.opStartRelMicros, node.opStartRelNanos));
  const opEnd = Math.max(opStart, within(start + relative(node.opEndRelMicros, node.opEndRelNanos)));
  const scheduled = node.scheduledMicros === 0n ? start : Math.min(start, Number(node.scheduledMicros - origin));
  const transfer = parseTransferLabel(node.timelineLabel);
  const label = /^(?:\[[^\]]*\] )?(.*) = ([^(]*)\((.*)\)$/s.exec(node.timelineLabel);
  return {
    name: node.nodeName,
    op: transfer ? 'RecvTensor' : (label?.[2] ?? 'unknown'),
    inputs: label?.[3] ? label[3].split(', ') : [],
    scheduled: Math.max(scheduled, Math.min(0, start)),
    start,
    opStart,
    opEnd,
    end,
    outputBytes: bytesOf(node),
    transfer: transfer && { ...transfer, bytes: bytesOf(node) || transfer.bytes },
  };
}

/** Microseconds, with the fraction that the nanoseconds add when they are of the same moment. */
function relative(micros: bigint, nanos: bigint): number {
  return nanos / 1000n === micros ? Number(nanos) / 1000 : Number(micros);
}

function bytesOf({ output }: NodeExecStats): number {
  return output.reduce((sum, { tensorDescription }) => sum + Number(tensorDescription?.allocationDescription?.requestedBytes ?? 0n), 0);
}

function compareDevices(a: string, b: string): number {
  const [left, right] = [parseDeviceName(a), parseDeviceName(b)];
  // Streams of a card ("…/device:GPU:0/stream:all") are no device names: they come last.
  if (!left || !right) return left ? -1 : right ? 1 : compareTexts(a, b);
  return (
    Number(right.job === 'ps') - Number(left.job === 'ps') ||
    compareTexts(left.job ?? '', right.job ?? '') ||
    (left.replica ?? 0) - (right.replica ?? 0) ||
    (left.task ?? 0) - (right.task ?? 0) ||
    compareTexts(left.type ?? '', right.type ?? '') ||
    (left.index ?? 0) - (right.index ?? 0)
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
