import { toStatusError } from '#proto/wire/status.ts';
import type { MachineLink } from '../machine-link.ts';
import { askTrust } from './ask-trust.ts';
import type { LabAuthority } from './authority.ts';
import type { AgentPlace } from './hello.ts';
import { renewThrough } from './renew.ts';

export interface LabExchangeEnv {
  readonly lab: LabAuthority;
  /** A guest has heard something new. */
  readonly onNews: () => Promise<void>;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * How a lab's owner and its guests hear of each other, who need not be there at the same time: by way of any machine that both talk to.
 * What does not succeed is said in the log, once; the machine is of use all the same.
 */
export class LabExchange {
  readonly #env: LabExchangeEnv;
  readonly #said = new Set<string>();

  constructor(env: LabExchangeEnv) {
    this.#env = env;
  }

  /** A guest asks the machine what the owner has changed; the owner, who knows it, does not look for its place. */
  async learn(find: () => Promise<AgentPlace>, name: string): Promise<void> {
    const { lab, onNews, signal } = this.#env;
    try {
      if ((await lab.info()).isOwner) return;
      if (await lab.learn(await askTrust(await find(), signal))) await onNews();
    } catch (error) {
      this.#say(`What ${name} tells of the lab is of no use: ${toStatusError(error).message}`);
    }
  }

  /** Certificates of guests are renewed, see `renewThrough`. */
  async renew(link: Pick<MachineLink, 'agent'>, name: string): Promise<void> {
    try {
      await renewThrough(link.agent, { lab: this.#env.lab, log: (line) => this.#say(line) });
    } catch (error) {
      this.#say(`No certificate can be renewed by way of ${name}: ${toStatusError(error).message}`);
    }
  }

  #say(line: string): void {
    if (!this.#said.has(line)) this.#env.log(line);
    this.#said.add(line);
  }
}
