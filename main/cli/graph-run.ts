import type { Command } from 'commander';
import type { RunPlan } from '#proto/ipc/contract.ts';
import { invalidArgument, toStatusError } from '#proto/wire/status.ts';
import { ONLY_CLIENT, type RunMetadata } from '../client/index.ts';
import { graphSummary, loadGraph } from '../program-host/load-graph.ts';
import type { NamedGraph } from './named-program.ts';
import { collect, count } from './plan-flags.ts';
import { type ProgramFlags, runProgramHere } from './program-run.ts';
import type { Terminal } from './terminal.ts';

/** The flags that say what of a graph is run. */
export interface GraphFlags {
  readonly fetch?: readonly string[];
  readonly node?: readonly string[];
  readonly feed?: readonly string[];
  readonly init?: readonly string[];
  readonly steps?: string;
}

export function addGraphOptions(command: Command): void {
  command
    .option('--fetch <tensor>', 'of a graph: tensor to print, such as y:0 (may be repeated)', collect)
    .option('--node <name>', 'of a graph: node to run for its effect (may be repeated)', collect)
    .option('--init <name>', 'of a graph: node to run once before, such as an initializer (may be repeated)', collect)
    .option('--feed <tensor=json>', "of a graph: value of a tensor, such as 'x:0=[1, 2]' (may be repeated)", collect)
    .option('--steps <n>', 'of a graph: number of steps, 0 for endless (1, or what a graph document says)');
}

export interface GraphRun {
  /** What was fetched in the last step. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly metadata: RunMetadata | undefined;
}

/** Runs a GraphDef or a graph document. With `trace`, the last step is traced. */
export async function runGraphFile(
  program: NamedGraph,
  flags: GraphFlags & ProgramFlags,
  terminal: Terminal,
  { signal, trace = false }: { signal: AbortSignal; trace?: boolean },
): Promise<GraphRun> {
  const path = program.source.graph;
  if (!flags.fetch && !flags.node && !isDocument(path)) {
    throw invalidArgument(`say what to run with --fetch or --node; ${path} has ${graphSummary((await loadGraph(path)).graph)}`);
  }
  const plan = { ...graphPlan(flags), ...(trace && lastTraced(flags)) };
  const { outcomes, traces } = await runProgramHere(program, { ...flags, plan }, terminal, signal);
  const { steps: _, ...values } = outcomes.get(ONLY_CLIENT) ?? {};
  return {
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, nested(value)])),
    metadata: traces[0]?.metadata,
  };
}

export function isDocument(path: string): boolean {
  return path.endsWith('.lanflow.json');
}

function graphPlan({ fetch, node, init, feed, steps }: GraphFlags): RunPlan {
  return {
    // A flag for one says that the other is not wanted: what a document fetches has nothing to do with it.
    ...((fetch || node) && { fetches: fetch ?? [], targets: node ?? [] }),
    ...(init && { initialize: init }),
    ...(feed && { feeds: Object.fromEntries(feed.map(readFeed)) }),
    ...(steps !== undefined && { steps: count('--steps', steps) }),
  };
}

function lastTraced({ steps = '1' }: GraphFlags): RunPlan {
  const last = count('--steps', steps);
  if (last === 0) throw invalidArgument('--steps: an endless run has no last step to trace; use --trace-every');
  return { steps: last, traceEvery: last };
}

/** Outcomes carry what is no number, and no list of numbers, as JSON. */
function nested(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value;
}

function readFeed(text: string): [string, string] {
  const [name = '', ...rest] = text.split('=');
  const json = rest.join('=');
  try {
    JSON.parse(json);
    return [name, json];
  } catch (error) {
    throw invalidArgument(`--feed: '${text}' is not of the form x:0=[1, 2]: ${toStatusError(error).message}`, { cause: error });
  }
}
