import { setTimeout as delay } from 'node:timers/promises';
import { hex64 } from '#proto/wire/ids.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { openChannel } from '../client/session/channel.ts';
import { methods } from '../client/session/master-methods.ts';
import { unaryCall } from '../client/session/unary-call.ts';

export interface HeartbeatListener {
  /** 16 hex digits. */
  onAnswer(incarnation: string): void;
  onSilence(reason: string): void;
}

/** The two together are the longest time after which a task that no longer answers is known to be lost: 3 s. */
const EVERY_MS = 1000;
const LIMIT_MS = 1900;

/** Asks a task for its status, again and again, until the signal aborts. */
export async function watchHeartbeat(address: string, listener: HeartbeatListener, signal: AbortSignal): Promise<void> {
  const channel = openChannel(address);
  try {
    while (!signal.aborted) {
      try {
        const { deviceAttributes } = await unaryCall(channel, methods.getStatus, {}, { timeoutMs: LIMIT_MS, signal });
        listener.onAnswer(hex64(deviceAttributes[0]?.incarnation ?? 0n));
      } catch (error) {
        if (!signal.aborted) listener.onSilence(`it does not answer: ${toStatusError(error).message}`);
      }
      await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    channel.close();
  }
}
