import { fileURLToPath } from 'node:url';
import { mayDiscover } from '#proto/discovery/may-discover.ts';
import { toStatusError } from '#proto/wire/status.ts';
import type { Log } from '../service/log.ts';
import { type RunningAgent, startAgent } from './agent.ts';
import type { RunFlags } from './flags.ts';
import { tellPin } from './pairing/tell-pin.ts';

/** Tasks are killed before this time is over; whatever else takes longer is cut off. */
const STOP_LIMIT_MS = 4800;
const KEPT_AFTER_MS = 250;

/** The agent in this process, until a signal or, when it is private, until nobody uses it. */
export async function runAgent(flags: RunFlags, log: Log): Promise<void> {
  const stopped = stopSignal();
  const { data: dataFolder, private: isPrivate, keepsTasks } = flags;
  const lan = flags.lan && { ...flags.lan, isAnnounced: mayDiscover(process.env) };
  const agent = await startAgent({ dataFolder, installed: !isPrivate, keepsTasks, taskProgram: taskProgram(), lan, log });
  process.stdout.write(`ready ${agent.address.socket} ${agent.machine}\n`);
  if (flags.pairing) offerPairing(agent, log).catch((error) => log.error(`no PIN can be shown: ${toStatusError(error).message}`));
  const signal = await Promise.race(isPrivate ? [stopped, untilUnused(agent)] : [stopped]);
  const limit = setTimeout(() => process.exit(0), STOP_LIMIT_MS);
  await (keepsTasks && signal !== 'SIGINT' ? agent.leave() : agent.stop());
  clearTimeout(limit);
}

/** The task program stands beside this one. */
function taskProgram(): string {
  return process.env['LANFLOW_TASK_SERVER'] ?? fileURLToPath(new URL('./index.js', import.meta.url));
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(name, () => resolve(name));
  });
}

/** For people who sit before the machine. */
async function offerPairing({ trust, desk }: RunningAgent, log: Log): Promise<void> {
  let { lab } = trust;
  trust.listen(() => {
    if (trust.lab === lab) return;
    lab = trust.lab;
    process.stdout.write(`lab ${lab}\n`);
    log.info(`this machine belongs to lab ${lab} now`);
  });
  if (lab !== '' || !desk) return;
  tellPin(await desk.open(), log);
}

async function untilUnused({ keepers }: RunningAgent): Promise<void> {
  const leave = keepers.add();
  for (const name of ['end', 'error'] as const) {
    process.stdin.once(name, () => {
      leave();
      // Tells who started it that it need not wait: others go on using the agent. Its own connection may end a little later.
      setTimeout(() => {
        if (keepers.count > 0) process.stdout.write('kept\n');
      }, KEPT_AFTER_MS);
    });
  }
  process.stdin.resume();
  await keepers.gone;
}
