import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AgentService } from '#proto/generated/lanflow/agent_pb.ts';
import { notFound, toStatusError } from '#proto/wire/status.ts';
import { createLog, type Log } from '../service/log.ts';
import { callOwnAgent } from './control/own-agent.ts';
import { type AgentFlags, HELP, parseFlags, USAGE, UsageError } from './flags.ts';
import { tellPin } from './pairing/tell-pin.ts';
import { runAgent } from './run-agent.ts';
import { acceptTrust, readInput, requestTrust } from './trust/trust-command.ts';

/** The program: the agent of this machine, or a word with it. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  // Whoever read it may be gone before the agent is.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const log = createLog({ write: (line) => process.stderr.write(line), trace: process.env['TRACE'] });
  process.on('unhandledRejection', (reason) => log.error(`bug: ${reason instanceof Error ? reason.stack : reason}`));
  try {
    await run(parseFlags(args), log);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

async function run(flags: AgentFlags, log: Log): Promise<void> {
  const { command, data } = flags;
  if (command === 'run') await runAgent(flags, log);
  else if (command === 'pin') await showPin(data, log);
  else if (command === 'trust request') process.stdout.write(`${await requestTrust(data, log.warning)}\n`);
  else await acceptTrust(data, await readInput(), log.warning);
}

async function showPin(data: string, log: Log): Promise<void> {
  const opened = await callOwnAgent(data, AgentService.method.openPairing, {});
  if (!opened) throw notFound('No agent runs on this machine; "lanflow agent" starts one, and shows a PIN');
  tellPin(opened, log);
}

function reportFailure(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`lanflow agent: ${error.message} (${USAGE})\n`);
    return 2;
  }
  const { codeName, message } = toStatusError(error);
  process.stderr.write(`lanflow agent: ${codeName}: ${message.replaceAll('\n', ' ')}\n`);
  return 1;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exit(await main(process.argv.slice(2)));
}
