import { buildTimeline, type RunMetadata, TraceLevel, type Transfer } from '../client/index.ts';

/** Run options of a step whose trace is wanted. */
export const fullTrace = { options: { traceLevel: TraceLevel.FULL_TRACE } } as const;

/** The nodes of a traced step by the device that ran them. */
export function nodesByDevice({ stepStats }: RunMetadata): ReadonlyMap<string, readonly string[]> {
  const devices = stepStats ? buildTimeline(stepStats).devices : [];
  return new Map(devices.map(({ device, entries }) => [device, entries.map(({ name }) => name)]));
}

/** The device that ran a node in a traced step; '' when none did. */
export function deviceOf(metadata: RunMetadata, node: string): string {
  return [...nodesByDevice(metadata)].find(([, nodes]) => nodes.includes(node))?.[0] ?? '';
}

/**
 * The tensors that crossed from task to task in a traced step, without the empty ones that only say that something is done. A
 * genuine TensorFlow master does not wait until all tasks write them down, and so may miss the first ones of a step.
 */
export function transfers({ stepStats }: RunMetadata): readonly Transfer[] {
  const devices = stepStats ? buildTimeline(stepStats).devices : [];
  return devices.flatMap(({ entries }) => entries.flatMap(({ transfer }) => (transfer && transfer.bytes > 0 ? [transfer] : [])));
}

/** Bytes of all of these together. */
export function totalBytes(tensors: readonly Transfer[]): number {
  return tensors.reduce((sum, { bytes }) => sum + bytes, 0);
}
