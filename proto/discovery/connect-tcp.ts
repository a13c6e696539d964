import { connect } from 'node:net';

/**
 * What became of an attempt to connect: nobody listens; no answer, as from a filter that says nothing; nobody has the address; no
 * way there; or the system forbids it.
 */
export type TcpOutcome = 'open' | 'refused' | 'no answer' | 'nobody there' | 'no route' | 'forbidden';

const OUTCOMES: Readonly<Record<string, TcpOutcome>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'refused',
  ENETUNREACH: 'no route',
  EADDRNOTAVAIL: 'no route',
  EINVAL: 'no route',
  EHOSTUNREACH: 'nobody there',
  EHOSTDOWN: 'nobody there',
  ETIMEDOUT: 'no answer',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
};

/** Connects and hangs up. That nobody has an address of the own subnet shows after about three seconds. */
export function connectTcp(host: string, port: number, { timeout, signal }: { timeout: number; signal: AbortSignal }): Promise<TcpOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (outcome: TcpOutcome): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      resolve(outcome);
    };
    const onAbort = (): void => finish('no answer');
    const timer = setTimeout(onAbort, timeout);
    socket.once('connect', () => finish('open'));
    socket.once('error', (error: NodeJS.ErrnoException) => finish(OUTCOMES[error.code ?? ''] ?? 'no answer'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}
