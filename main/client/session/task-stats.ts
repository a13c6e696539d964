import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { addressOf, openChannel } from './channel.ts';
import { taskMethods } from './task-methods.ts';
import { unaryCall } from './unary-call.ts';

/** What a task says of its work. */
export interface TaskStats {
  /** Steps in which it has taken part since it started. */
  readonly steps: number;
  readonly runningSteps: number;
  /** Sessions of all masters, as far as it takes part. */
  readonly sessions: number;
  /** Resident bytes of its process. */
  readonly memory: number;
  readonly uptimeMs: number;
}

const LIMIT_MS = 1500;

/** Asks the task at `grpc://host:port`. Rejects with UNIMPLEMENTED when it is a genuine TensorFlow task, which does not tell. */
export async function taskStats(
  target: string,
  { tls, ...options }: { signal?: AbortSignal; timeoutMs?: number; tls?: TlsFiles } = {},
): Promise<TaskStats> {
  const channel = openChannel(addressOf(target), tls);
  try {
    const stats = await unaryCall(channel, taskMethods.getTaskStats, {}, { timeoutMs: LIMIT_MS, ...options });
    return {
      steps: Number(stats.steps),
      runningSteps: Number(stats.runningSteps),
      sessions: Number(stats.sessions),
      memory: Number(stats.memory),
      uptimeMs: stats.uptimeMs,
    };
  } finally {
    channel.close();
  }
}
