import { StatusError, type StatusOptions, toCode, toStatusError } from '../wire/status.ts';
import type { CallName, Calls, EventName, Events } from './contract.ts';

/** Changes when an older window would no longer understand the core. */
export const CONTRACT_VERSION = 1;

/** Where `lanflow web` takes WebSockets of its own page; each binary message is one frame. */
export const FRAMES_PATH = '/frames';

/** What travels between core and window. A window sends calls; the core answers each once, and sends events unasked. */
export type Frame = CallFrame | ResultFrame | ErrorFrame | EventFrame;

/** `name` and `argument` are what a window claims: the core checks both before it believes them. */
export interface CallFrame {
  readonly kind: 'call';
  /** Chosen by the window; unique among its calls that have no answer yet. */
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

export interface ResultFrame {
  readonly kind: 'result';
  readonly id: number;
  readonly value: Calls[CallName]['result'];
}

/** A StatusError without what must not or cannot leave its process: cause and stack. */
export interface ErrorFrame {
  readonly kind: 'error';
  readonly id: number;
  /** Number of the canonical code. */
  readonly code: number;
  readonly message: string;
  readonly details: NonNullable<StatusOptions['details']>;
}

export type EventFrame = {
  readonly [N in EventName]: { readonly kind: 'event'; readonly name: N; readonly payload: Events[N] };
}[EventName];

/** The answer to a call that failed with anything at all. */
export function errorFrame(id: number, thrown: unknown): ErrorFrame {
  const { code, message, details } = toStatusError(thrown);
  return { kind: 'error', id, code, message, details };
}

/** What the window throws for it. */
export function errorOf({ code, message, details }: ErrorFrame): StatusError {
  return new StatusError(toCode(code), message, { details });
}
