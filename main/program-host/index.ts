/**
 * A program's process: loads one program and answers its parent's requests (see `protocol.ts`). It ends with its parent, so
 * an endless loop or a crash in a user's program harms nobody else.
 */
import { cancelled, failedPrecondition, toStatusError, unimplemented } from '#proto/wire/status.ts';
import type { Outcome, Program, ProgramContext } from '../client/index.ts';
import { HostedClient } from './context.ts';
import { failurePlace } from './failure-place.ts';
import { isGraphProgram } from './load-graph.ts';
import { loadProgram } from './load-program.ts';
import { endWithParent } from './parent-watch.ts';
import type { Answers, ClientOf, ClientOrders, Description, FromHost, Request, Steer, ToHost } from './protocol.ts';
import { Rehearsal } from './rehearsal.ts';
import { runGraph } from './run-graph.ts';
import { SentGraphs } from './sent-graphs.ts';

const stopping = new AbortController();
/** Path of the user's module, if it is one. */
let module: string | undefined;
let program: Promise<Program> | undefined;
let client: HostedClient | undefined;
/** Told before there is a client. */
const steers: Steer[] = [];

function tell(message: FromHost): void {
  process.send?.(message);
}

function describe({ name, title, cluster, virtualGpus = 0, task, check }: Program): Description {
  return { name, title, cluster, virtualGpus, clients: task ? 'per task' : 'one', isChecked: check !== undefined };
}

async function start(loaded: Program, which: ClientOf, context: ProgramContext): Promise<Outcome> {
  if (which !== 'only' && loaded.task) return loaded.task({ ...context, ...which });
  if (which === 'only' && loaded.run) return loaded.run(context);
  throw unimplemented(`Program '${loaded.name}' has ${loaded.run ? 'one client' : 'one client per task'}`);
}

async function run(loaded: Program, { client: which, cluster, orders }: Extract<Request, { kind: 'run' }>): Promise<Outcome> {
  const hosted = new HostedClient({
    cluster,
    orders: isGraphProgram(loaded) ? withDefaults(orders, loaded.plan) : orders,
    tell: (event) => tell({ kind: 'event', event }),
    signal: stopping.signal,
  });
  client = hosted;
  for (const steer of steers) hosted.steer(steer);
  try {
    return await (isGraphProgram(loaded) ? runGraph(loaded, hosted) : start(loaded, which, hosted.context));
  } catch (error) {
    throw await hosted.explain(error);
  } finally {
    await hosted.close();
  }
}

/** What the user's plan leaves open is as the graph's own plan says. */
function withDefaults(orders: ClientOrders, plan: ClientOrders['plan']): ClientOrders {
  return { ...orders, plan: { ...plan, ...orders.plan } };
}

async function rehearse(loaded: Program, { client: which, cluster }: Extract<Request, { kind: 'rehearse' }>): Promise<readonly string[]> {
  const graphs = new SentGraphs((event) => tell({ kind: 'event', event }));
  if (isGraphProgram(loaded)) {
    graphs.add(loaded.graph, loaded.graph.toDef());
    return [];
  }
  const rehearsal = new Rehearsal({ cluster, virtualGpus: loaded.virtualGpus ?? 0, graphs, signal: stopping.signal });
  try {
    const isOver = await Promise.race([start(loaded, which, rehearsal.context).then(() => true), rehearsal.ended.then(() => false)]);
    if (isOver) return [];
    return [graphs.isEmpty ? 'it ran no step' : 'it goes on and on; what it may build later is not known'];
  } catch (error) {
    // With made-up values a program may fail where it otherwise would not.
    if (graphs.isEmpty) throw error;
    return [`the rehearsal ended early, as nothing was really computed: ${toStatusError(error).message}`];
  } finally {
    graphs.flush();
  }
}

async function answer(request: Request): Promise<Answers[keyof Answers]> {
  const loaded = await program;
  if (!loaded) throw unimplemented('No program was loaded');
  if (request.kind === 'describe') return describe(loaded);
  if (request.kind === 'run') return run(loaded, request);
  if (request.kind === 'rehearse') return rehearse(loaded, request);
  if (request.kind === 'check') return loaded.check?.(request.outcomes) ?? [];
  if (!client) throw failedPrecondition('The client has not begun yet');
  return client.reinitialize(request.done);
}

/** An editor shows the line; a program that was stopped has not failed. */
function tellPlace(error: unknown): void {
  const place = module && !stopping.signal.aborted && failurePlace(error, module);
  if (place) tell({ kind: 'event', event: { kind: 'log', text: `failed at ${place}` } });
}

process.setSourceMapsEnabled(true);
endWithParent();
process.on('disconnect', () => process.exit(1));
// A terminal sends Ctrl-C to every process of its group; the parent decides what becomes of this one.
process.on('SIGINT', () => {});
process.on('message', (message: ToHost) => {
  if (message.kind === 'load') {
    if ('module' in message.source) module = message.source.module;
    program = loadProgram(message.source);
    // Whoever asks the first question gets the error.
    program.catch(() => {});
  } else if (message.kind === 'stop') {
    stopping.abort(cancelled('The run was stopped'));
  } else if (message.kind === 'steer') {
    if (client) client.steer(message.steer);
    else steers.push(message.steer);
  } else {
    const { id, request } = message;
    answer(request).then(
      (value) => tell({ kind: 'result', id, value }),
      (error: unknown) => {
        tellPlace(error);
        const { code, message: text, details } = toStatusError(error);
        tell({ kind: 'failure', id, code, message: text, details });
      },
    );
  }
});
