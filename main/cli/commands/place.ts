import type { PlacementView } from '#proto/ipc/contract.ts';
import { notFound } from '#proto/wire/status.ts';
import { type ClusterInput, ClusterSpec, LocalTask, type PlaceOptions } from '../../client/index.ts';
import { bundlePath } from '../../program-host/bundles.ts';
import { expectedDevices, wantedDevices } from '../../program-host/placement/expected-devices.ts';
import { placePinned } from '../../program-host/placement/place-pinned.ts';
import { type Rehearsed, type RehearsedGraph, rehearse } from '../../program-host/rehearse.ts';
import { type AddCommand, action, type CommandContext } from '../command.ts';
import { namedProgram } from '../named-program.ts';
import { collect, type PlanFlags, pinsOf } from '../plan-flags.ts';
import { clusterFor } from '../program-run.ts';
import { addTargetOptions, sessionOptions, type TargetFlags } from '../target.ts';
import { formatJson, formatTable } from '../terminal.ts';

interface PlaceFlags extends TargetFlags, Pick<PlanFlags, 'pin'> {
  readonly client?: string;
  readonly placement?: 'first-task' | 'local';
  readonly json?: true;
}

export const addPlaceCommand: AddCommand = (program, context) => {
  const command = program
    .command('place')
    .description('show where the nodes of a program would go, and why; nothing is run')
    .argument('<program>', 'name of a sample, own/NAME of a program of your own in the app, or path of a module or a graph')
    .option('--client <name>', 'whose graph: client, or a task such as /job:worker/replica:0/task:0 (the first by default)')
    .option(
      '--pin <node=device>',
      "where a node is to be, or all of a scope, such as 'layer1/=/job:worker/task:0' (may be repeated)",
      collect,
    )
    .option('--placement <rule>', "where nodes without a device go: first-task or local (the task's own rule by default)")
    .option('--json', 'as JSON');
  addTargetOptions(command);
  command.action(
    action('place', context, async (signal, name: string, flags: PlaceFlags) => {
      const { client, view } = await place(name, flags, context, signal);
      context.terminal.print(flags.json ? formatJson({ client, ...view }) : placementTable(view));
      report(view, flags, context);
    }),
  );
};

async function place(name: string, flags: PlaceFlags, { terminal }: CommandContext, signal: AbortSignal) {
  const pins = pinsOf(flags);
  const { source } = await namedProgram(name, terminal);
  const cluster = await clusterFor(flags, terminal, signal);
  const rehearsed = await rehearse({ entry: bundlePath('program-host/index.js'), source, cluster: cluster ?? {}, signal });
  for (const note of rehearsed.notes) terminal.log(note);
  const { client, graphDef, config } = chosenGraph(rehearsed, flags.client);
  const { operationTimeoutMs: timeoutMs } = sessionOptions(flags, terminal);
  const options: PlaceOptions = {
    ...config,
    signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(flags.placement && { rule: flags.placement }),
  };
  if (flags.target !== undefined) return { client, view: await placePinned(flags.target, { graphDef, pins }, options) };
  const task = await LocalTask.start({ signal });
  try {
    const { devices, master } = imagined(cluster, rehearsed, client);
    return { client, view: await placePinned(task.target, { graphDef, pins }, { ...options, devices, ...(master && { master }) }) };
  } finally {
    await task.stop();
  }
}

function chosenGraph({ graphs }: Rehearsed, wanted: string | undefined): RehearsedGraph {
  const graph = wanted === undefined ? graphs[0] : graphs.find(({ client }) => client === wanted);
  if (graph) return graph;
  if (wanted === undefined) throw notFound('The program builds no graph');
  throw notFound(`Client '${wanted}' builds no graph; these do: ${graphs.map(({ client }) => client).join(', ') || 'none'}`);
}

/** Tasks that nobody has started have a CPU each, and the cards that the program wants to be pretended. */
function imagined(
  cluster: ClusterInput | undefined,
  { program }: Rehearsed,
  client: string,
): { devices: string[]; master: string | undefined } {
  const { virtualGpus } = program;
  const devices = cluster
    ? new ClusterSpec(cluster).tasks.flatMap(({ name }) => expectedDevices(name, virtualGpus))
    : wantedDevices(program.cluster, virtualGpus);
  const names = devices.map(({ name }) => name);
  const tasks = names.map((name) => name.replace(/\/device:.*$/, ''));
  return { devices: names, master: tasks.find((task) => task === client.replace(/ #\d+$/, '')) ?? tasks[0] };
}

function placementTable({ devices, reasons }: PlacementView): string {
  return formatTable([['NODE', 'DEVICE', 'WHY'], ...Object.entries(devices).map(([node, device]) => [node, device, reasons[node] ?? ''])]);
}

function report({ problems, unusedPins }: PlacementView, { json }: PlaceFlags, { terminal, fail }: CommandContext): void {
  if (!json) {
    for (const pin of unusedPins) terminal.log(`lanflow place: the graph has no node for --pin ${pin}`);
    for (const { node, text } of problems) terminal.log(`lanflow place: ${text.startsWith(node) ? text : `${node}: ${text}`}`);
  }
  if (problems.length > 0) fail();
}
