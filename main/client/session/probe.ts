import { connect } from 'node:net';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { codeName, toStatusError } from '#proto/wire/status.ts';
import { openChannel, parseAddress } from './channel.ts';
import { methods } from './master-methods.ts';
import { unaryCall } from './unary-call.ts';

/** Why a task does not answer; undefined when it does. */
export type Probe = (address: string, signal: AbortSignal) => Promise<string | undefined>;

const CONNECT_MS = 1500;
const STATUS_MS = 1500;

/** Asks a task for its status, after a bare connection that tells refused, timed out and name not found apart. Takes 3 s at most. */
export async function probeTask(address: string, signal: AbortSignal, tls?: TlsFiles): Promise<string | undefined> {
  const place = parseAddress(address);
  if (!place) return 'not a host:port address';
  const unreachable = await tryConnect(place, signal);
  return unreachable ?? (await askStatus(address, { signal, tls }));
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: nothing listens there',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'name not found: the name server does not answer',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'timed out',
};

function tryConnect(place: { host: string; port: number }, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(place);
    const finish = (reason?: string): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve(reason);
    };
    const stop = (): void => finish('cancelled');
    const timer = setTimeout(() => finish(`timed out: no answer within ${CONNECT_MS} ms`), CONNECT_MS);
    signal.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => finish());
    socket.once('error', (error: NodeJS.ErrnoException) => finish(reasons[error.code ?? ''] ?? error.message));
  });
}

async function askStatus(
  address: string,
  { signal, tls }: { signal: AbortSignal; tls: TlsFiles | undefined },
): Promise<string | undefined> {
  const channel = openChannel(address, tls);
  try {
    await unaryCall(channel, methods.getStatus, {}, { timeoutMs: STATUS_MS, signal });
    return undefined;
  } catch (error) {
    const { code, message } = toStatusError(error);
    return `something listens there, but gives no status as a TensorFlow task would (${codeName(code)}: ${message})`;
  } finally {
    channel.close();
  }
}
