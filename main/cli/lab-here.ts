import { toStatusError } from '#proto/wire/status.ts';
import { findAgent } from '../machines/agent-address.ts';
import { ownDataFolder } from '../store/data-folder.ts';

const ANSWER_MS = 5000;

/** The lab of this machine, as the agent says that runs here: empty when it belongs to none, undefined when the agent does not say. */
export async function labHere(log: (line: string) => void): Promise<string | undefined> {
  const agent = await findAgent(ownDataFolder(), log);
  if (!agent) return undefined;
  const known = new AbortController();
  let lab: string | undefined;
  try {
    await agent.events({
      ...{ keep: false, logFrom: {}, signal: AbortSignal.any([known.signal, AbortSignal.timeout(ANSWER_MS)]) },
      onEvent: ({ event }) => {
        if (event.case !== 'snapshot') return;
        lab = event.value.machine?.lab;
        known.abort();
      },
    });
  } catch (error) {
    log(toStatusError(error).message);
  } finally {
    agent.close();
  }
  return lab;
}
