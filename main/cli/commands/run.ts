import type { Command } from 'commander';
import { invalidArgument } from '#proto/wire/status.ts';
import { programs } from '../../programs/index.ts';
import { titleOf } from '../../store/program-facts.ts';
import { ownProgram } from '../../store/program-name.ts';
import { type AddCommand, action, type CommandContext } from '../command.ts';
import { addGraphOptions, type GraphFlags, runGraphFile } from '../graph-run.ts';
import { addLocalOptions } from '../local-options.ts';
import { isGraph, type NamedGraph, type NamedProgram, namedProgram } from '../named-program.ts';
import { addPlanOptions } from '../plan-flags.ts';
import { type ProgramFlags, runProgramHere } from '../program-run.ts';
import { addTargetOptions } from '../target.ts';
import { formatJson, formatTable } from '../terminal.ts';
import { userStore } from '../user-store.ts';

interface RunFlags extends ProgramFlags, GraphFlags {
  readonly local?: true;
  readonly list?: true;
  readonly json?: true;
}

export const addRunCommand: AddCommand = (program, context) => {
  const command: Command = program
    .command('run')
    .description('run a sample program, a module of your own (.ts, .js), a graph document (.lanflow.json) or a GraphDef (.pb, .pbtxt)')
    .argument('[program]', 'name of a sample, own/NAME of a program of your own in the app, or path of a module or a graph')
    .option('--list', 'list the sample programs and your own')
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
      if (flags.list) return listPrograms(flags, context);
      if (name === undefined) throw invalidArgument('name a program, or use --list to see them');
      const program = await namedProgram(name, context.terminal);
      if (isGraph(program)) await runGraph(program, flags, context, signal);
      else await runCode(program, flags, context, signal);
    }),
  );
};

async function listPrograms({ json }: RunFlags, { terminal }: CommandContext): Promise<void> {
  const { programFiles, programFacts } = userStore(terminal);
  const facts = await programFacts.read();
  const own = (await programFiles.list()).map((file) => {
    const { cluster = {}, virtualGpus = 0 } = facts[file.name]?.learnt ?? {};
    return { name: ownProgram(file.name), title: titleOf(file, facts[file.name]), cluster, virtualGpus };
  });
  const samples = programs.map(({ name, title, cluster, virtualGpus = 0 }) => ({ name, title, cluster, virtualGpus }));
  const rows = [...samples, ...own];
  terminal.print(json ? formatJson(rows) : formatTable([['PROGRAM', 'WHAT IT TEACHES'], ...rows.map(({ name, title }) => [name, title])]));
}

async function runCode(program: NamedProgram, flags: RunFlags, { terminal }: CommandContext, signal: AbortSignal): Promise<void> {
  const { outcomes } = await runProgramHere(program, flags, terminal, signal);
  if (flags.json) terminal.print(formatJson(Object.fromEntries(outcomes)));
  else for (const [client, outcome] of outcomes) terminal.print(`${client} ${JSON.stringify(outcome)}`);
}

async function runGraph(program: NamedGraph, flags: RunFlags, { terminal }: CommandContext, signal: AbortSignal): Promise<void> {
  const { values } = await runGraphFile(program, flags, terminal, { signal });
  if (flags.json) terminal.print(formatJson(values));
  else for (const [fetch, value] of Object.entries(values)) terminal.print(`${fetch} ${formatJson(value).replaceAll(/\s+/g, ' ')}`);
}
