import type { PlacementProblem, PlacementView } from '#proto/ipc/contract.ts';
import { placePinned } from '../../program-host/placement/place-pinned.ts';
import type { FoundGraph } from './graph-source.ts';
import type { PlacingTask } from './placing-task.ts';
import type { PrivateTask } from './private-task.ts';

/** A placement that takes longer waits for a task that does not answer. */
const LIMIT_MS = 5000;

/** Asks a task where its master would put the nodes, pins applied. */
export async function placementView(found: FoundGraph, where: PlacingTask, privateTask: PrivateTask): Promise<PlacementView> {
  const { pins, client, config, notes } = found;
  if (client === '') return { devices: {}, reasons: {}, why: {}, problems: notes.map(generalProblem), unusedPins: Object.keys(pins) };
  const { address, ...options } = where;
  const target = address === undefined ? await privateTask.target() : `grpc://${address}`;
  return placePinned(target, found, { ...options, ...config, timeoutMs: LIMIT_MS });
}

/** What is about no node in particular. */
export function generalProblem(text: string): PlacementProblem {
  return { node: '', text, details: '' };
}
