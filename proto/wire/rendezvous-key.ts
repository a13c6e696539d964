import { invalidArgument } from './status.ts';

/**
 * The name under which a Send and a Recv meet: which edge, between which device instances, in which loop iteration.
 * On the wire five parts joined by `;`.
 */
export interface RendezvousKey {
  readonly sendDevice: string;
  /** Identity of the sending device instance; unsigned 64 bits. */
  readonly sendIncarnation: bigint;
  readonly recvDevice: string;
  readonly tensorName: string;
  /** Loop frame and iteration; 0 and 0 outside loops. */
  readonly frameId: bigint;
  readonly iteration: bigint;
}

export function formatRendezvousKey(key: RendezvousKey): string {
  return `${rendezvousKeyPrefix(key)}${key.frameId}:${key.iteration}`;
}

/** All of a key but frame and iteration; constant for a Send or Recv node, so it is worth keeping. */
export function rendezvousKeyPrefix(key: Omit<RendezvousKey, 'frameId' | 'iteration'>): string {
  const incarnation = BigInt.asUintN(64, key.sendIncarnation).toString(16).padStart(16, '0');
  return `${key.sendDevice};${incarnation};${key.recvDevice};${key.tensorName};`;
}

export function parseRendezvousKey(text: string): RendezvousKey {
  const [sendDevice, incarnation, recvDevice, tensorName, frame, ...rest] = text.split(';');
  const frameMatch = /^(\d+):(\d+)$/.exec(frame ?? '');
  if (
    !sendDevice ||
    !recvDevice ||
    tensorName === undefined ||
    rest.length > 0 ||
    !frameMatch ||
    !/^[0-9a-f]{16}$/.test(incarnation ?? '')
  ) {
    throw invalidArgument(`Invalid rendezvous key: ${text}`);
  }
  return {
    sendDevice,
    sendIncarnation: BigInt(`0x${incarnation}`),
    recvDevice,
    tensorName,
    frameId: BigInt(frameMatch[1] ?? 0),
    iteration: BigInt(frameMatch[2] ?? 0),
  };
}
