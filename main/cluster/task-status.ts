import type { ClusterState, TaskState } from '#proto/ipc/contract.ts';

/** What is known of one task. */
export interface TaskStatus {
  readonly state: TaskState;
  /** Why it waits or was lost, with the way out. */
  readonly reason: string;
  /** Unix epoch in milliseconds; 0: it does not run. */
  readonly startedAt: number;
  /** 16 hex digits; empty until it has answered. */
  readonly incarnation: string;
  /** When it last answered; 0: it never did. */
  readonly answeredAt: number;
}

/** What can happen to a task, or be learnt of it. */
export type TaskEvent =
  | { readonly kind: 'started' }
  /** It is not up yet. */
  | { readonly kind: 'waits'; readonly reason: string }
  | { readonly kind: 'listens'; readonly at: number }
  | { readonly kind: 'answered'; readonly incarnation: string; readonly at: number }
  | { readonly kind: 'silent'; readonly reason: string }
  | { readonly kind: 'paused' }
  | { readonly kind: 'resumed' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'ended'; readonly reason: string };

export const STOPPED: TaskStatus = { state: 'stopped', reason: '', startedAt: 0, incarnation: '', answeredAt: 0 };

type Transitions = { readonly [K in TaskEvent['kind']]: (status: TaskStatus, event: Extract<TaskEvent, { kind: K }>) => TaskStatus };

const transitions: Transitions = {
  started: () => ({ ...STOPPED, state: 'starting' }),
  waits: (status, { reason }) => (isComingUp(status) ? { ...status, state: 'waiting', reason } : status),
  listens: (status, { at }) => (isComingUp(status) ? { ...status, state: 'running', reason: '', startedAt: at } : status),
  answered: (status, { incarnation, at }) => answered(status, incarnation, at),
  silent: (status, { reason }) => (status.state === 'running' ? { ...status, state: 'lost', reason } : status),
  paused: (status) => (status.startedAt === 0 ? status : { ...status, state: 'paused', reason: '' }),
  resumed: (status) => (status.state === 'paused' ? { ...status, state: 'running' } : status),
  stopped: () => STOPPED,
  ended: (status, { reason }) => (status.state === 'stopped' ? status : { ...STOPPED, state: 'lost', reason }),
};

/** The state machine of a task. An event that tells nothing in the present state changes nothing. */
export function nextStatus<K extends TaskEvent['kind']>(status: TaskStatus, event: Extract<TaskEvent, { kind: K }>): TaskStatus {
  const transition: Transitions[K] = transitions[event.kind as K];
  return transition(status, event);
}

function isComingUp({ state }: TaskStatus): boolean {
  return state === 'starting' || state === 'waiting';
}

/** A task that was silent for a while, and whose process never ended, is back. */
function answered(status: TaskStatus, incarnation: string, at: number): TaskStatus {
  if (status.startedAt === 0 || status.state === 'stopped') return status;
  const state = status.state === 'lost' ? 'running' : status.state;
  return { ...status, state, reason: '', incarnation, answeredAt: at };
}

/** What the user asked of a cluster last, and whether it is done. */
export type ClusterPhase = 'stopped' | 'starting' | 'started' | 'stopping';

export function clusterState(phase: ClusterPhase, tasks: readonly TaskState[]): ClusterState {
  if (phase !== 'started') return phase;
  return tasks.every((state) => state === 'running') ? 'running' : 'degraded';
}
