import type { Command } from 'commander';
import { invalidArgument } from '#proto/wire/status.ts';
import { isGraphPath } from '../../program-host/load-graph.ts';
import { programs } from '../../programs/index.ts';
import { type AddCommand, action, type CommandContext } from '../command.ts';
import { addGraphOptions, type GraphFlags, runGraphFile } from '../graph-run.ts';
import { addLocalOptions } from '../local-options.ts';
import { addPlanOptions } from '../plan-flags.ts';
import { type ProgramFlags, programSource, runProgramHere } from '../program-run.ts';
import { addTargetOptions } from '../target.ts';
import { formatJson, formatTable } from '../terminal.ts';

interface RunFlags extends ProgramFlags, GraphFlags {
  readonly local?: true;
  readonly list?: true;
  readonly json?: true;
}

export const addRunCommand: AddCommand = (program, context) => {
  const command: Command = program
    .command('run')
    .description('run a sample program, a module of your own (.ts, .js), a graph document (.lanflow.json) or a GraphDef (.pb, .pbtxt)')
    .argument('[program]', 'name of a sample, or path of a module or a graph')
    .option('--list', 'list the sample programs')
    .option('--local', 'on tasks of this machine, started for this run (the default without --target)')
    .option('--reset', 'first clear the variables and queues of the cluster, and close the sessions of its first task')
    .option('--json', 'results as JSON')
    .option('--no-record', 'do not keep the run for the app');
  addTargetOptions(command);
  addLocalOptions(command);
  addPlanOptions(command);
  addGraphOptions(command);
  command.action(
    action('run', context, async (signal, name: string | undefined, flags: RunFlags) => {
      if (flags.local && flags.target !== undefined) throw invalidArgument('--local and --target exclude each other');
      if (flags.list) listPrograms(flags, context);
      else if (name === undefined) throw invalidArgument('name a program, or use --list to see the samples');
      else if (isGraphPath(name)) await runGraph(name, flags, context, signal);
      else await runNamed(name, flags, context, signal);
    }),
  );
};

function listPrograms({ json }: RunFlags, { terminal }: CommandContext): void {
  const rows = programs.map(({ name, title, cluster, virtualGpus = 0 }) => ({ name, title, cluster, virtualGpus }));
  terminal.print(json ? formatJson(rows) : formatTable([['PROGRAM', 'WHAT IT TEACHES'], ...rows.map(({ name, title }) => [name, title])]));
}

async function runNamed(name: string, flags: RunFlags, { terminal }: CommandContext, signal: AbortSignal): Promise<void> {
  const { outcomes } = await runProgramHere(programSource(name), flags, terminal, signal);
  if (flags.json) terminal.print(formatJson(Object.fromEntries(outcomes)));
  else for (const [client, outcome] of outcomes) terminal.print(`${client} ${JSON.stringify(outcome)}`);
}

async function runGraph(path: string, flags: RunFlags, { terminal }: CommandContext, signal: AbortSignal): Promise<void> {
  const { values } = await runGraphFile(path, flags, terminal, { signal });
  if (flags.json) terminal.print(formatJson(values));
  else for (const [fetch, value] of Object.entries(values)) terminal.print(`${fetch} ${formatJson(value).replaceAll(/\s+/g, ' ')}`);
}
