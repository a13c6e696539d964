import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { GraphQuery, Pins, RunInfo } from '#proto/ipc/contract.ts';
import { parseDeviceName } from '#proto/wire/device-name.ts';
import { notFound } from '#proto/wire/status.ts';
import { Graph, type PlacementConfig } from '../../client/index.ts';
import type { WantedCluster } from './placing-task.ts';
import type { ProgramLibrary } from './program-library.ts';
import type { ClusterTasks, Rehearsals } from './rehearsals.ts';

/** The graphs that runs have recorded. */
export interface RecordedGraphs {
  get(run: string): Pick<RunInfo, 'tasks'>;
  graphClients(run: string): Promise<readonly string[]>;
  graph(run: string, client: string): Promise<GraphDef>;
}

export interface GraphSourceEnv {
  readonly library: Pick<ProgramLibrary, 'sourceToLoad' | 'pins'>;
  readonly rehearsals: Rehearsals;
  readonly recorded: RecordedGraphs;
}

/** One graph of a program or a run, with what is to be known to show or place it. */
export interface FoundGraph {
  /** Empty when no client builds a graph. */
  readonly client: string;
  readonly clients: readonly string[];
  readonly graphDef: GraphDef;
  /** None for a run: its graph was recorded as it was sent. */
  readonly pins: Pins;
  /** What its session says of placement; a run does not record it. */
  readonly config: PlacementConfig;
  /** What the program wants, or what the run had. */
  readonly wants: WantedCluster;
  readonly notes: readonly string[];
}

/** Finds the graphs that windows ask for. */
export class GraphSource {
  readonly #env: GraphSourceEnv;

  constructor(env: GraphSourceEnv) {
    this.#env = env;
  }

  /** NOT_FOUND when the client builds no graph. Rejects with what is wrong with the program. `tasks`: the cluster that it is built for. */
  find({ of, client }: GraphQuery, tasks?: ClusterTasks): Promise<FoundGraph> {
    return 'run' in of ? this.#ofRun(of.run, client) : this.#ofProgram(of.program, { client, tasks });
  }

  async #ofProgram(name: string, { client, tasks }: { client: string | undefined; tasks: ClusterTasks | undefined }): Promise<FoundGraph> {
    const { library, rehearsals } = this.#env;
    const rehearsed = library.sourceToLoad(name).then((source) => rehearsals.get(source, tasks));
    const [{ graphs, notes, program }, pins] = await Promise.all([rehearsed, library.pins(name)]);
    const clients = graphs.map((each) => each.client);
    const chosen = choose(client, clients);
    const { graphDef, config } = graphs.find((each) => each.client === chosen) ?? { graphDef: new Graph().toDef(), config: {} };
    const { cluster, virtualGpus } = program;
    return { client: chosen, clients, graphDef, pins, config, wants: { cluster, virtualGpus }, notes };
  }

  async #ofRun(run: string, client: string | undefined): Promise<FoundGraph> {
    const clients = await this.#env.recorded.graphClients(run);
    const chosen = choose(client, clients);
    const graphDef = chosen === '' ? new Graph().toDef() : await this.#env.recorded.graph(run, chosen);
    const notes = chosen === '' ? ['No graph of this run was recorded'] : [];
    return {
      client: chosen,
      clients,
      graphDef,
      pins: {},
      config: {},
      wants: clusterOf(this.#env.recorded.get(run).tasks, graphDef),
      notes,
    };
  }
}

/** What runs on cards says so: those that were pretended for the run are not recorded. */
function clusterOf(tasks: readonly string[], { node }: GraphDef): WantedCluster {
  const cluster: Record<string, number> = {};
  for (const { job = '', task = 0 } of tasks.flatMap((name) => parseDeviceName(name) ?? [])) {
    cluster[job] = Math.max(cluster[job] ?? 0, task + 1);
  }
  const cards = node.flatMap(({ device }) => parseDeviceName(device) ?? []).filter(({ type }) => type === 'GPU');
  return { cluster, virtualGpus: Math.max(0, ...cards.map(({ index = 0 }) => index + 1)) };
}

function choose(client: string | undefined, clients: readonly string[]): string {
  const [first = ''] = clients;
  if (client === undefined || clients.includes(client)) return client ?? first;
  const others = clients.length === 0 ? 'no client does' : `these do: ${clients.join(', ')}`;
  throw notFound(`Client '${client}' builds no graph; ${others}`);
}
