import type { ClusterInfo, GraphQuery, PlacementProblem, PlacementView } from '#proto/ipc/contract.ts';
import { Code, toStatusError } from '#proto/wire/status.ts';
import { encodeGraphDef, formatGraphDef } from '../../client/index.ts';
import type { ClusterManager } from '../../cluster/cluster-manager.ts';
import { applyPins } from '../../program-host/pins.ts';
import type { AreaHandlers } from '../handler.ts';
import { graphColumns, nodeDetails } from '../programs/graph-columns.ts';
import type { FoundGraph, GraphSource } from '../programs/graph-source.ts';
import { generalProblem, placementView } from '../programs/placement-view.ts';
import { placingTask, toExpected, wantedTask } from '../programs/placing-task.ts';
import type { PrivateTask } from '../programs/private-task.ts';
import type { ClusterTasks } from '../programs/rehearsals.ts';

export interface GraphHandlersEnv {
  readonly graphs: GraphSource;
  readonly clusters: Pick<ClusterManager, 'get'>;
  readonly privateTask: PrivateTask;
}

export function graphHandlers({ graphs, clusters, privateTask }: GraphHandlersEnv): AreaHandlers<'graphs'> {
  return {
    'graphs.view': async (query) => {
      const { client, clients, graphDef, notes } = await graphs.find(query);
      const columns = graphColumns(graphDef);
      return { ...columns, client, clients, notes: [...notes, ...columns.notes] };
    },
    'graphs.node': async ({ node, ...query }) => nodeDetails((await graphs.find(query)).graphDef, node),
    'graphs.place': async ({ cluster, ...query }) => {
      if (cluster !== undefined) return placeOnCluster(clusters.get(cluster).info, query);
      const found = await graphs.find(query);
      return placementView(found, wantedTask(found.wants, found.client), privateTask);
    },
    'graphs.export': async ({ format, ...query }) => {
      const { graphDef, pins, client } = await graphs.find(query);
      const pinned = applyPins(graphDef, pins);
      const content = format === 'pb' ? encodeGraphDef(pinned) : new TextEncoder().encode(formatGraphDef(pinned));
      return { name: `${fileName(query.of, client)}.${format}`, content };
    },
  };

  /** A task that does not answer is no reason not to look: the cluster's devices are known well enough. */
  async function placeOnCluster(cluster: ClusterInfo, query: GraphQuery): Promise<PlacementView> {
    const { found, problems } = await findFor(cluster, query);
    const where = await placingTask(cluster, found.client);
    try {
      return withProblems(problems, await placementView(found, where, privateTask));
    } catch (error) {
      const { code, message } = toStatusError(error);
      if (where.address === undefined || (code !== Code.UNAVAILABLE && code !== Code.DEADLINE_EXCEEDED)) throw error;
      const silent = { ...generalProblem('A task of the cluster does not answer; this is where the nodes should go'), details: message };
      return withProblems([...problems, silent], await placementView(found, toExpected(cluster, where), privateTask));
    }
  }

  /** A program that cannot be built for the cluster is placed as it is for the one that it wants, and the reason is told. */
  async function findFor(cluster: ClusterInfo, query: GraphQuery): Promise<{ found: FoundGraph; problems: readonly PlacementProblem[] }> {
    try {
      return { found: await graphs.find(query, tasksByJob(cluster)), problems: [] };
    } catch (error) {
      return { found: await graphs.find(query), problems: [generalProblem(toStatusError(error).message)] };
    }
  }
}

function withProblems(problems: readonly PlacementProblem[], view: PlacementView): PlacementView {
  return { ...view, problems: [...problems, ...view.problems] };
}

function tasksByJob({ jobs }: ClusterInfo): ClusterTasks {
  return Object.fromEntries(jobs.map(({ name, tasks }) => [name, tasks.map(({ index }) => index)]));
}

/** `ps-workers-worker-1` for the client of a task; without the client where there is only one. */
function fileName(of: { readonly program: string } | { readonly run: string }, client: string): string {
  const base = 'run' in of ? of.run : of.program.replace(/^.*[\\/]/, '').replace(/\.(?:lanflow\.json|[^.]+)$/, '');
  const [, job, index] = /^\/job:(\w+)\/replica:\d+\/task:(\d+)/.exec(client) ?? [];
  const number = / #(\d+)$/.exec(client)?.[1];
  return [base, job, index, number].filter((part) => part !== undefined).join('-');
}
