import type { Command } from 'commander';
import type { ClusterInfo, OpeningInfo } from '#proto/ipc/contract.ts';
import { LONGEST_OPENING_S } from '#proto/wire/opening.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { action, type CommandContext } from '../command.ts';
import { parseDuration, spokenDuration } from '../duration.ts';
import { findCluster, withLab } from '../local-lab.ts';
import { formatJson } from '../terminal.ts';

interface OpenFlags {
  readonly to: string;
  readonly for: string;
  readonly json?: true;
}

/** `cluster open` and `cluster close`. */
export function addOpeningCommands(command: Command, context: CommandContext): void {
  const { terminal } = context;
  command
    .command('open')
    .description('let clients that know no TLS, and anybody else in a network, use a running cluster for a time')
    .argument('<cluster>', 'its id or title')
    .requiredOption('--to <cidr>', 'the network, such as 192.168.1.0/24')
    .option('--for <time>', 'how long, such as 90s, 15m or 8h', '15m')
    .option('--json', 'what is open as JSON')
    .action(
      action('cluster open', context, (_, name: string, flags: OpenFlags) =>
        withLab(terminal, async (lab) => {
          const seconds = secondsOf(flags);
          const cluster = findCluster(lab, name);
          await cluster.openTo({ network: flags.to, seconds });
          const { openings = [] } = cluster.info;
          terminal.print(flags.json ? formatJson(openings) : openings.map(openingText).join('\n'));
          terminal.log('Everybody there can run graphs on it, read everything and change it; nothing is encrypted.');
        }),
      ),
    );
  command
    .command('close')
    .description('end that before its time')
    .argument('<cluster>', 'its id or title')
    .action(
      action('cluster close', context, (_, name: string) =>
        withLab(terminal, async (lab) => {
          const cluster = findCluster(lab, name);
          const isOpen = closable(cluster.info).length > 0;
          await cluster.closeOpenings();
          terminal.print(`Cluster '${cluster.saved.title}' is closed${isOpen ? '' : ' already'}`);
        }),
      ),
    );
}

/** A line for each network, and where its machines reach each task. */
export function openingText({ network, closesAt, addresses }: OpeningInfo): string {
  const time = closesAt === 0 ? 'as long as it runs' : `for another ${spokenDuration(closesAt - Date.now())}`;
  const places = Object.entries(addresses).map(([task, address]) => `  grpc://${address} ${task}`);
  return [`open to ${network} in plain text ${time}:`, ...places].join('\n');
}

function closable({ openings = [] }: ClusterInfo): readonly OpeningInfo[] {
  return openings.filter(({ closesAt }) => closesAt > 0);
}

function secondsOf({ for: time }: OpenFlags): number {
  const seconds = parseDuration(time);
  if (seconds >= 1 && seconds <= LONGEST_OPENING_S) return seconds;
  throw invalidArgument(`A cluster is opened for ${LONGEST_OPENING_S / 3600} hours at most, not for ${time}`);
}
