import type { RunPlan } from '#proto/ipc/contract.ts';
import { taskName } from '#proto/wire/device-name.ts';
import { Code, invalidArgument, notFound, toStatusError } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { Graph, Node, Outcome, Output } from '../client/index.ts';
import type { HostedClient } from './context.ts';
import type { ControlledSession } from './controlled-session.ts';
import { findInitializers, isVariable, readerOf } from './initializers.ts';
import { type GraphProgram, graphSummary } from './load-graph.ts';
import { nodeNamed, outcomeValue, readPlanFeeds } from './plan-values.ts';
import { isTaskLoss } from './task-loss.ts';
import { seriesValues } from './watch/tensor-series.ts';
import { parseWatch, type WatchExpression, watchedTensor } from './watch/watch-expression.ts';

/** Values are written into the log this often at most, in milliseconds. */
const LOG_MS = 1000;
const MAX_LOGGED = 200;

/** Runs a graph as its plan says: initializes it once, then step by step. Gives the number of steps and what was fetched last. */
export async function runGraph({ graph, name, virtualGpus = 0 }: GraphProgram, client: HostedClient): Promise<Outcome> {
  const { plan, signal } = { ...client.orders, ...client.context };
  const { steps = 1, fetches = [], targets = [] } = plan;
  const wanted = fetches.map((text) => fetchOf(graph, text));
  const nodes = targets.map((target) => nodeNamed(graph, target));
  if (wanted.length + nodes.length === 0) {
    throw invalidArgument(`The plan of the run names no tensor to fetch and no node to run; ${name} has ${graphSummary(graph)}`);
  }
  const feeds = readPlanFeeds(graph, plan.feeds ?? {});
  const session = openSession(graph, client, virtualGpus);
  await initialize(session, client, plan);
  const plots = wanted.map(({ expression }) => plotOf(expression, client));
  const log = logNowAndThen(client);
  const request = { fetched: wanted.map(({ tensor }) => tensor), nodes };
  let values: readonly Tensor[] = [];
  for (let step = 1; steps === 0 || step <= steps; step++) {
    signal.throwIfAborted();
    const { fetched } = await surviving(client, () => session.run(request, { feeds }));
    values = fetched;
    for (const [i, value] of fetched.entries()) plots[i]?.(value);
    log(() => fetched.map((value, i) => `${fetches[i]} = ${shortText(value)}`));
  }
  return { steps: client.control.steps, ...Object.fromEntries(values.map((value, i) => [fetches[i] ?? '', outcomeValue(value)])) };
}

/** Takes a step again after a task was lost and the variables are initialized again, where the user can do that. */
async function surviving<T>(client: HostedClient, step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!client.orders.holdsOnLoss || !isTaskLoss(error)) throw error;
      await client.untilReinitialized(error);
    }
  }
}

function fetchOf(graph: Graph, text: string): { readonly expression: WatchExpression; readonly tensor: Output } {
  const expression = parseWatch(text);
  const tensor = watchedTensor(graph, expression);
  if (tensor) return { expression, tensor };
  throw notFound(`The graph has no tensor '${text}'`);
}

/** Makes samples of the values of a fetch. What cannot be plotted is said once. */
function plotOf({ text, indices }: WatchExpression, client: HostedClient): (value: Tensor) => void {
  let isPlotted = true;
  return (value) => {
    if (!isPlotted) return;
    try {
      for (const [series, each] of seriesValues(text, value, indices)) client.context.sample(series, client.control.watcher.age, each);
    } catch (error) {
      isPlotted = false;
      client.notice(toStatusError(error).message);
    }
  };
}

/** At the worker with index 0 when there is one, else at the first task; without any task, a private one. */
function openSession(graph: Graph, client: HostedClient, virtualGpus: number): ControlledSession {
  const { cluster, orders } = client;
  const [first] = cluster.tasks;
  const master = cluster.tasks.find(({ job, index }) => job === 'worker' && index === 0) ?? first;
  const place = master ? taskName(master.job, master.index) : (orders.target ?? '');
  const target = orders.target ?? (master && cluster.target(master.job, master.index));
  return target === undefined ? client.localSession(graph, virtualGpus) : client.session(target, place, { graph });
}

/** Runs what the plan says; when it says nothing, gives those variables a value that have none. */
async function initialize(session: ControlledSession, client: HostedClient, plan: RunPlan): Promise<void> {
  const { graph } = session;
  const { signal } = client.context;
  if (plan.initialize) {
    if (plan.initialize.length > 0)
      await session.runAside(
        plan.initialize.map((name) => nodeNamed(graph, name)),
        { signal },
      );
    return;
  }
  const empty = await withoutValue(session, signal);
  if (empty.length === 0) return;
  const known = new Map(findInitializers(graph).map(({ variable, initializer }) => [variable, initializer]));
  const initializers = empty.flatMap((variable) => known.get(variable) ?? []);
  const init = graph.nodes.get('init');
  // One node for all is what Python programs make; it serves where an initializer cannot be told from other assignments.
  const nodes = initializers.length < empty.length && init ? [init] : initializers;
  if (nodes.length === 0) return;
  client.notice(`Initialized, as the plan does not say what to initialize: ${empty.map(({ name }) => name).join(', ')}`);
  await session.runAside(nodes, { signal });
}

async function withoutValue(session: ControlledSession, signal: AbortSignal): Promise<readonly Node[]> {
  const variables = [...session.graph.nodes.values()].filter(isVariable);
  const readers = variables.map((variable) => readerOf(session.graph, variable) ?? variable.output());
  const lacks = async (reads: typeof readers): Promise<boolean> => {
    try {
      await session.runAside(reads, { signal });
      return false;
    } catch (error) {
      if (toStatusError(error).code === Code.FAILED_PRECONDITION) return true;
      throw error;
    }
  };
  if (variables.length === 0 || !(await lacks(readers))) return [];
  const each = await Promise.all(readers.map((reader) => lacks([reader])));
  return variables.filter((_, i) => each[i]);
}

function logNowAndThen(client: HostedClient): (line: () => readonly string[]) => void {
  let next = performance.now() + LOG_MS;
  return (line) => {
    if (performance.now() < next) return;
    next = performance.now() + LOG_MS;
    const parts = line();
    client.context.log([`step ${client.control.steps}`, ...parts].join('  '));
  };
}

function shortText(value: Tensor): string {
  const text = String(outcomeValue(value));
  return text.length > MAX_LOGGED ? `${text.slice(0, MAX_LOGGED)}…` : text;
}
