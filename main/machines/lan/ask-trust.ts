import { PairingService } from '#proto/generated/lanflow/pairing_pb.ts';
import { Rpc } from '../rpc.ts';
import type { LabNews } from './authority.ts';
import { type AgentPlace, targetOf } from './hello.ts';

const ANSWER_MS = 3000;
/** Anybody may answer there; the longest list that a lab could need is far below. */
const MAX_BYTES = 4 * 1024 * 1024;

/** What the machine whose agent answers there has of its lab, as it says itself: in plain text, since it may refuse who asks. */
export async function askTrust(place: AgentPlace, signal: AbortSignal): Promise<LabNews> {
  const rpc = new Rpc({ target: targetOf(place), name: `The agent at ${place.host}`, maxBytes: MAX_BYTES });
  try {
    const { lab, authority, handovers, revocations } = await rpc.unary(
      PairingService.method.getTrust,
      {},
      { signal, timeoutMs: ANSWER_MS },
    );
    return { lab, authority, handovers, revocations };
  } finally {
    rpc.close();
  }
}
