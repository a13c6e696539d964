import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { RunMetadata } from '#proto/generated/tensorflow/run_options_pb.ts';
import { invalidArgument, notFound, toStatusError } from '#proto/wire/status.ts';
import { decodeGraphDef, Graph, parseGraphDef, Session, type Tensor, TraceLevel, toNested, type Value } from '../client/index.ts';
import { sessionOptions, type TargetFlags } from './target.ts';
import type { Terminal } from './terminal.ts';

/** The flags that say what of a GraphDef is run. */
export interface GraphFlags {
  readonly fetch?: readonly string[];
  readonly node?: readonly string[];
  readonly feed?: readonly string[];
  readonly init?: readonly string[];
  readonly steps?: string;
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export function addGraphOptions(command: Command): void {
  command
    .option('--fetch <tensor>', 'of a GraphDef: tensor to print, such as y:0 (may be repeated)', collect)
    .option('--node <name>', 'of a GraphDef: node to run for its effect (may be repeated)', collect)
    .option('--init <name>', 'of a GraphDef: node to run once before, such as an initializer (may be repeated)', collect)
    .option('--feed <tensor=json>', "of a GraphDef: value of a tensor, such as 'x:0=[1, 2]' (may be repeated)", collect)
    .option('--steps <n>', 'of a GraphDef: number of steps', '1');
}

export function isGraphFile(path: string): boolean {
  return /\.(pb|pbtxt)$/.test(path);
}

export interface GraphRun {
  /** What was fetched in the last step. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly metadata: RunMetadata | undefined;
}

/** Runs a GraphDef on the target, or on a private task of this machine. With `trace`, the last step is traced. */
export async function runGraphFile(
  path: string,
  flags: GraphFlags & TargetFlags,
  terminal: Terminal,
  { signal, trace = false }: { signal: AbortSignal; trace?: boolean },
): Promise<GraphRun> {
  const { fetch = [], node = [], init = [] } = flags;
  const graph = await readGraph(path);
  if (fetch.length + node.length === 0) throw invalidArgument(`say what to run with --fetch or --node; ${path} has ${graphSummary(graph)}`);
  const steps = Number(flags.steps ?? 1);
  if (!Number.isInteger(steps) || steps < 1) throw invalidArgument(`--steps: '${flags.steps}' is no number of steps`);
  const session = new Session(flags.target, { graph, ...sessionOptions(flags, terminal) });
  try {
    const feeds = new Map((flags.feed ?? []).map(readFeed));
    if (init.length > 0) await session.run(init, { signal });
    // Names without an index are nodes, so the two lists cannot be mixed up.
    const wanted = { values: fetch, done: node };
    for (let step = 1; step < steps; step++) await session.run(wanted, { feeds, signal });
    const options = trace ? { traceLevel: TraceLevel.FULL_TRACE } : {};
    const { value, metadata } = await session.runWithMetadata(wanted, { feeds, signal, options });
    return { values: Object.fromEntries(fetch.map((name, i) => [name, nested(value.values[i])])), metadata };
  } finally {
    await session.close();
  }
}

function nested(tensor: Tensor | undefined): unknown {
  return tensor && toNested(tensor);
}

async function readGraph(path: string): Promise<Graph> {
  const graph = new Graph();
  const bytes = await readFile(path).catch((error: unknown) => {
    throw notFound(`Cannot read ${path}: ${toStatusError(error).message}`, { cause: error });
  });
  graph.importGraphDef(path.endsWith('.pbtxt') ? parseGraphDef(bytes.toString('utf8')) : decodeGraphDef(bytes));
  return graph;
}

/** Help for somebody who does not know the graph: the last few nodes are usually the results. */
function graphSummary(graph: Graph): string {
  const names = [...graph.nodes.keys()];
  return `${names.length} nodes, the last of them ${names.slice(-5).join(', ')}`;
}

function readFeed(text: string): [string, Value] {
  const [name = '', ...rest] = text.split('=');
  try {
    return [name.includes(':') ? name : `${name}:0`, JSON.parse(rest.join('=')) as Value];
  } catch (error) {
    throw invalidArgument(`--feed: '${text}' is not of the form x:0=[1, 2]: ${toStatusError(error).message}`, { cause: error });
  }
}
