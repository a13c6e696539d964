import { setTimeout as delay } from 'node:timers/promises';
import { Code, toStatusError, unavailable } from '#proto/wire/status.ts';
import { findAgent, isAgentExpected } from './agent-address.ts';
import type { AgentClient } from './agent-client.ts';
import { PrivateAgent, type PrivateAgentOptions } from './private-agent.ts';

/** Two that start at the same moment: the second finds the first. */
const ATTEMPTS = 3;
/** An installed agent that was killed is there again within this time. */
const RETURN_MS = 8000;
const LOOK_MS = 200;

/** The way to the agent of this machine: the one that runs already, installed or another core's, else a private one. */
export class LocalAgent {
  readonly #options: PrivateAgentOptions;
  #own: PrivateAgent | undefined;

  constructor(options: PrivateAgentOptions) {
    this.#options = options;
  }

  /** The agent was started here. */
  get isOwn(): boolean {
    return this.#own !== undefined;
  }

  /** A new connection. Starts an agent when none runs or is on its way; rejects with the reason when that fails. */
  async connect(signal: AbortSignal): Promise<AgentClient> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const agent = await this.#find(signal);
      if (agent) return agent;
      await this.#start();
    }
    throw unavailable('The agent of this machine has started, but cannot be found');
  }

  /** Lets go of the agent that was started here, if one was. */
  async close(): Promise<void> {
    await this.#own?.close();
  }

  /** An agent that keeps its tasks is waited for: a private one in its place would not know them. */
  async #find(signal: AbortSignal): Promise<AgentClient | undefined> {
    const { dataFolder, log } = this.#options;
    const until = performance.now() + RETURN_MS;
    for (;;) {
      const agent = await findAgent(dataFolder, log);
      if (agent || performance.now() > until || !(await isAgentExpected(dataFolder, log))) return agent;
      await delay(LOOK_MS, undefined, { signal });
    }
  }

  async #start(): Promise<void> {
    await this.#own?.close();
    this.#own = undefined;
    try {
      this.#own = await PrivateAgent.start(this.#options);
    } catch (error) {
      if (toStatusError(error).code !== Code.ALREADY_EXISTS) throw error;
    }
  }
}
