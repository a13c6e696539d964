import { internal, resourceExhausted, type StatusError } from '#proto/wire/status.ts';
import type { PureCall } from '../engine/device.ts';

/** What the call on a device thread ends with when the thread itself does. */
export function threadEnded(device: string, reason: Error, call: PureCall | undefined): StatusError {
  const where = call ? ` while it computed node '${call.node}' (op ${call.op})` : '';
  const message = `A thread of device ${device} ended${where}: ${reason.message}. It is replaced when it is needed next.`;
  return isOutOfMemory(reason) ? resourceExhausted(message, { cause: reason }) : internal(message, { cause: reason });
}

function isOutOfMemory(reason: Error): boolean {
  return 'code' in reason && reason.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
