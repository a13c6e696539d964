import { PairingService } from '#proto/generated/lanflow/pairing_pb.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { Rpc } from '../rpc.ts';
import type { LabAuthority, LabNews } from './authority.ts';
import { type AgentPlace, targetOf } from './hello.ts';

const ANSWER_MS = 3000;
/** Anybody may answer there; the longest list that a lab could need is far below. */
const MAX_BYTES = 4 * 1024 * 1024;

/** What the machine whose agent answers there has of its lab, as it says itself: in plain text, since it may refuse who asks. */
async function askTrust(place: AgentPlace, signal: AbortSignal): Promise<LabNews> {
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

export interface LearnerEnv {
  readonly lab: Pick<LabAuthority, 'info' | 'learn'>;
  readonly onNews: () => Promise<void>;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** How a guest hears what the owner has changed in the lab: from any machine of it. The owner, who makes the news, asks nobody. */
export class Learner {
  readonly #env: LearnerEnv;
  #complaint = '';

  constructor(env: LearnerEnv) {
    this.#env = env;
  }

  /** What is of no use is said in the log; the machine may be dialled all the same. */
  async ask(place: AgentPlace, name: string): Promise<void> {
    const { lab, onNews, signal } = this.#env;
    try {
      if ((await lab.info()).isOwner) return;
      if (await lab.learn(await askTrust(place, signal))) await onNews();
    } catch (error) {
      this.#complain(`What ${name} tells of the lab is of no use: ${toStatusError(error).message}`);
    }
  }

  /** Machines are dialled again and again. */
  #complain(complaint: string): void {
    if (complaint !== this.#complaint) this.#env.log(complaint);
    this.#complaint = complaint;
  }
}
