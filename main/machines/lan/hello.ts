import { connectTcp } from '#proto/discovery/connect-tcp.ts';
import { type HelloResponse, PairingService } from '#proto/generated/lanflow/pairing_pb.ts';
import { toStatusError, unavailable } from '#proto/wire/status.ts';
import { Rpc } from '../rpc.ts';

/** Where a machine's agent answers. */
export interface AgentPlace {
  readonly host: string;
  readonly port: number;
}

const CONNECT_MS = 2000;
const ANSWER_MS = 3000;

/** Who it is that answers there, as he says himself. UNAVAILABLE with the reason when nobody does, or no agent. */
export async function askHello({ host, port }: AgentPlace, signal: AbortSignal): Promise<HelloResponse> {
  const rpc = new Rpc({ target: targetOf({ host, port }), name: `The agent at ${host}` });
  try {
    return await rpc.unary(PairingService.method.hello, {}, { signal, timeoutMs: ANSWER_MS });
  } catch (error) {
    const { message } = toStatusError(error);
    throw unavailable(`No agent of Lanflow answers at ${host}, port ${port}: ${message}. Is it installed and running there?`, {
      cause: error,
    });
  } finally {
    rpc.close();
  }
}

/**
 * The first of some addresses where somebody takes connections. UNAVAILABLE, with what came of each, when none does; `outcome` in its
 * details is `refused` where a machine is there.
 */
export async function firstOpen(addresses: readonly string[], port: number, signal: AbortSignal): Promise<string> {
  const outcomes: string[] = [];
  let isThere = false;
  for (const address of addresses) {
    const outcome = await connectTcp(address, port, { timeout: CONNECT_MS, signal });
    if (outcome === 'open') return address;
    isThere ||= outcome === 'refused';
    outcomes.push(`${address}: ${outcome}`);
  }
  throw unavailable(`its agent does not answer at port ${port} (${outcomes.join(', ') || 'it has no address'})`, {
    details: { outcome: isThere ? 'refused' : 'unreached' },
  });
}

/** As grpc-js dials it. */
export function targetOf({ host, port }: AgentPlace): string {
  return host.includes(':') ? `ipv6:[${host}]:${port}` : `dns:${host}:${port}`;
}
