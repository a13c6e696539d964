import type { Code } from '#proto/wire/status.ts';

export type TaskState = 'stopped' | 'starting' | 'waiting' | 'running' | 'paused' | 'lost';

/** What is known of one task. */
export interface KnownStatus {
  readonly state: TaskState;
  /** Why it waits or was lost, with the way out. */
  readonly reason: string;
  /** Why it was lost; 0 otherwise. */
  readonly code: Code;
  /** Unix epoch in milliseconds; 0: it does not run. */
  readonly startedAt: number;
  /** 16 hex digits; empty until it has answered. */
  readonly incarnation: string;
  /** By the monotonic clock, in milliseconds; -1: it never answered. */
  readonly answeredAt: number;
}

/** What can happen to a task, or be learnt of it. */
export type TaskEvent =
  | { readonly kind: 'started' }
  /** Another agent had it before; `at` is when it began to listen. */
  | { readonly kind: 'adopted'; readonly at: number; readonly isPaused: boolean }
  /** It is not up yet. */
  | { readonly kind: 'waits'; readonly reason: string }
  | { readonly kind: 'listens'; readonly at: number }
  | { readonly kind: 'answered'; readonly incarnation: string; readonly at: number }
  | { readonly kind: 'silent'; readonly reason: string }
  | { readonly kind: 'paused' }
  | { readonly kind: 'resumed' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'ended'; readonly reason: string; readonly code: Code }
  /** It has ended, and is started again in a while. */
  | { readonly kind: 'willRestart'; readonly reason: string };

export const STOPPED: KnownStatus = { state: 'stopped', reason: '', code: 0, startedAt: 0, incarnation: '', answeredAt: -1 };

/** A task whose process is there does not answer. */
const SILENT: Code = 14;

type Transitions = { readonly [K in TaskEvent['kind']]: (status: KnownStatus, event: Extract<TaskEvent, { kind: K }>) => KnownStatus };

const transitions: Transitions = {
  started: () => ({ ...STOPPED, state: 'starting' }),
  adopted: (_, { at, isPaused }) => ({ ...STOPPED, state: isPaused ? 'paused' : 'running', startedAt: at }),
  waits: (status, { reason }) => (isComingUp(status) ? { ...status, state: 'waiting', reason } : status),
  listens: (status, { at }) => (isComingUp(status) ? { ...status, state: 'running', reason: '', startedAt: at } : status),
  answered: (status, { incarnation, at }) => answered(status, incarnation, at),
  silent: (status, { reason }) => (status.state === 'running' ? { ...status, state: 'lost', reason, code: SILENT } : status),
  paused: (status) => (status.startedAt === 0 ? status : { ...status, state: 'paused', reason: '', code: 0 }),
  resumed: (status) => (status.state === 'paused' ? { ...status, state: 'running' } : status),
  stopped: () => STOPPED,
  ended: (status, { reason, code }) => (status.state === 'stopped' ? status : { ...STOPPED, state: 'lost', reason, code }),
  willRestart: (status, { reason }) => (status.state === 'stopped' ? status : { ...STOPPED, state: 'waiting', reason }),
};

/** The state machine of a task. An event that tells nothing in the present state changes nothing. */
export function nextStatus<K extends TaskEvent['kind']>(status: KnownStatus, event: Extract<TaskEvent, { kind: K }>): KnownStatus {
  const transition: Transitions[K] = transitions[event.kind as K];
  return transition(status, event);
}

function isComingUp({ state }: KnownStatus): boolean {
  return state === 'starting' || state === 'waiting';
}

/** A task that was silent for a while, and whose process never ended, is back. */
function answered(status: KnownStatus, incarnation: string, at: number): KnownStatus {
  if (status.startedAt === 0) return status;
  const state = status.state === 'lost' ? 'running' : status.state;
  return { ...status, state, reason: '', code: 0, incarnation, answeredAt: at };
}
