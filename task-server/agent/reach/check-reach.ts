import { lookup } from 'node:dns/promises';
import { connectTcp } from '#proto/discovery/connect-tcp.ts';
import { invalidArgument } from '#proto/wire/status.ts';

export interface Reach {
  /** host:port */
  readonly address: string;
  /** Of the attempt to connect, or that the name has no address. */
  readonly outcome: string;
}

const MOST = 64;
const LIMIT_MS = 3000;

/** Connects to all of the addresses at a time, for three seconds at most. INVALID_ARGUMENT for what is no address, and for too many. */
export async function checkReach(addresses: readonly string[]): Promise<readonly Reach[]> {
  if (addresses.length > MOST) throw invalidArgument(`${addresses.length} addresses are too many: at most ${MOST} are checked at a time`);
  const places = addresses.map(placeOf);
  return Promise.all(places.map(async (place) => ({ address: place.address, outcome: await tryOne(place) })));
}

async function tryOne({ host, port }: { readonly host: string; readonly port: number }): Promise<string> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const address = await Promise.race([resolve(host), aborted(signal)]);
  if (address === undefined) return 'no such name';
  return connectTcp(address, port, { timeout: LIMIT_MS, signal });
}

/** Undefined when the name has no address. */
async function resolve(host: string): Promise<string | undefined> {
  try {
    return (await lookup(host)).address;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'getaddrinfo') return undefined;
    throw error;
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => signal.addEventListener('abort', () => done(undefined)));
}

function placeOf(address: string) {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(address) ?? [];
  const [host, port] = [bracketed ?? plain, Number(digits)];
  if (host === undefined || port < 1 || port > 65_535) throw invalidArgument(`'${address}' is no address of the form host:port`);
  return { address, host, port };
}
