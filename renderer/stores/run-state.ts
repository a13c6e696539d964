import type { RunInfo } from '#proto/ipc/contract.ts';

export type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'bad';

const tones: Readonly<Record<RunInfo['state'], Tone>> = {
  starting: 'accent',
  running: 'accent',
  paused: 'warn',
  stopping: 'warn',
  finished: 'ok',
  failed: 'bad',
  stopped: 'neutral',
};

/** How a run is shown: a result that is not the right one looks like a failure, though the program ended well. */
export function toneOf({ state, problems }: Pick<RunInfo, 'state' | 'problems'>): Tone {
  return problems.length > 0 ? 'bad' : tones[state];
}

/** Does it go on, so that it can be stopped? */
export function isActive({ state }: Pick<RunInfo, 'state'>): boolean {
  return state === 'starting' || state === 'running' || state === 'paused' || state === 'stopping';
}

/** Its clients can be held before their next step, or go on. */
export function canPause({ state }: Pick<RunInfo, 'state'>): boolean {
  return state === 'running' || state === 'paused';
}

export function canStep({ state }: Pick<RunInfo, 'state'>): boolean {
  return state === 'paused';
}

export function canTrace({ state }: Pick<RunInfo, 'state'>): boolean {
  return canPause({ state });
}

/** Holds a run that goes on, and lets one go on that is held. */
export async function pauseOrResume(
  runs: { pause(run: string): Promise<void>; resume(run: string): Promise<void> },
  { id, state }: Pick<RunInfo, 'id' | 'state'>,
): Promise<void> {
  await (state === 'paused' ? runs.resume(id) : runs.pause(id));
}

/** Milliseconds from its start to its end, or to now. */
export function durationOf({ startedAt, endedAt }: Pick<RunInfo, 'startedAt' | 'endedAt'>, now: number): number {
  return (endedAt || now) - startedAt;
}

/** `ps×1 worker×2`: tasks by job, in the order in which the jobs appear. */
export function clusterSummary(tasks: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const task of tasks) {
    const job = /^\/job:([^/]+)/.exec(task)?.[1] ?? task;
    counts.set(job, (counts.get(job) ?? 0) + 1);
  }
  return [...counts].map(([job, count]) => `${job}×${count}`).join(' ');
}

/** Samples of all its series. */
export function pointCount({ series }: Pick<RunInfo, 'series'>): number {
  return series.reduce((sum, { points }) => sum + points, 0);
}
