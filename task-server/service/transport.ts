import type { StatusError } from '#proto/wire/status.ts';
import type { Rope } from './rope.ts';

export interface CallLimits {
  /** Unix epoch, milliseconds; DEADLINE_EXCEEDED after that. */
  readonly deadline?: number | undefined;
  /** Nobody waits for the answer: a transport that can do so sends the call and is done. */
  readonly isNotice?: boolean | undefined;
}

export interface PendingCall {
  /** Rejects with a StatusError. */
  readonly response: Promise<Buffer>;
  /** The call rejects with this reason at once, and the peer hears that it may stop. Without effect on one that is over. */
  cancel(reason: StatusError): void;
}

/** A way to one task. Dials at the first call. */
export interface Transport {
  /** One try of one RPC. `path` is `/SERVICE/METHOD`. */
  start(path: string, request: Rope, limits: CallLimits): PendingCall;
  /** The peer is of our own engine, and calls take the link. */
  readonly hasLink: boolean;
  /** Ends the calls under way. */
  close(): void;
}
