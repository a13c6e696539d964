import type { StatusError } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';

/** What a Recv gets. `isDead`: the Send's input was dead; the tensor then means nothing. */
export interface Received {
  readonly tensor: Tensor;
  readonly isDead: boolean;
}

/**
 * The table of one step in which a Recv meets its Send. A producer never waits: `send` stores the value or hands it to a
 * parked receiver. A consumer may come first. Values under one key queue up and each is consumed once. Keys are the wire
 * form of `RendezvousKey`. A `recv` for a key whose sender is another task is fetched from there by the implementation.
 */
export interface Rendezvous {
  /** Throws the error of a rendezvous that was aborted. */
  send(key: string, value: Received): void;
  /** A value when it is already there, so that the executor goes on without a pause; else a promise. */
  recv(key: string): Received | Promise<Received>;
  /** Ends all parked and later receives with this error. Only the first call counts. */
  abort(error: StatusError): void;
}
