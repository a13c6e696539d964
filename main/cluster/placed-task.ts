import type { JobDraft, TaskDraft } from '#proto/ipc/contract.ts';
import { speaksPlain } from '#proto/trust/dialler.ts';
import { taskName } from '#proto/wire/device-name.ts';
import type { ClusterSpec } from '../client/index.ts';
import type { TaskSetup } from '../machines/agent-client.ts';
import type { SavedCluster } from '../store/index.ts';

/** A task of a saved cluster, with the names it goes by. */
export interface PlacedTask {
  readonly job: string;
  readonly draft: TaskDraft;
  /** `/job:ps/replica:0/task:1` */
  readonly name: string;
  /** By which the agents know it. */
  readonly id: string;
}

export function placedTasks({ id: cluster, jobs }: Pick<SavedCluster, 'id' | 'jobs'>): readonly PlacedTask[] {
  return jobs.flatMap(({ name: job, tasks }: JobDraft) =>
    tasks.map((draft) => ({ job, draft, name: taskName(job, draft.index), id: `${cluster}/job:${job}/task:${draft.index}` })),
  );
}

/** One formation of a cluster: which address each task has. */
export interface Formation {
  readonly startId: string;
  readonly spec: ClusterSpec;
}

/** What the agent of its machine starts a task with. */
export function setupOf({ job, draft }: PlacedTask, { id, title, jobs }: SavedCluster, { spec, startId }: Formation): TaskSetup {
  return {
    cluster: id,
    clusterTitle: title,
    job,
    index: draft.index,
    spec: JSON.stringify(spec.toObject()),
    engine: draft.engine,
    placement: 'first-task',
    virtualGpus: draft.virtualGpus,
    startId,
    restart: draft.restart ?? false,
    ...genuinePeers(placedTasks({ id, jobs }), spec),
  };
}

/** Genuine TensorFlow servers know no TLS: on other machines they are dialled in plain text, and so they dial. */
function genuinePeers(tasks: readonly PlacedTask[], spec: ClusterSpec): Pick<TaskSetup, 'allow' | 'plaintext'> {
  const genuine = new Set(tasks.flatMap(({ draft, name }) => (draft.engine === 'tensorflow' ? [name] : [])));
  const plaintext = spec.tasks.flatMap(({ name, address }) => (genuine.has(name) && !speaksPlain(address, new Set()) ? [address] : []));
  const hosts = plaintext.map((address) => address.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''));
  return { plaintext, allow: [...new Set(hosts)].map((host) => `${host}/${host.includes(':') ? 128 : 32}`) };
}

/** What a change of a running cluster asks for. */
export interface Changes {
  /** Tasks that are no longer there, or not on that machine. */
  readonly removed: readonly PlacedTask[];
  /** Not all addresses stay as they are: every task needs to hear of the others anew. */
  readonly movesAddresses: boolean;
  /** Tasks that run otherwise than before, at their old addresses. */
  readonly altered: readonly PlacedTask[];
  /** Tasks of which only the switch for restarts was changed. */
  readonly switched: readonly PlacedTask[];
}

export function changesBetween(before: SavedCluster, after: SavedCluster): Changes {
  const [old, fresh] = [placedTasks(before), placedTasks(after)];
  const previous = new Map(old.map((task) => [`${task.draft.machine} ${task.id}`, task]));
  const keyOf = ({ draft, id }: PlacedTask): string => `${draft.machine} ${id}`;
  const kept = fresh.flatMap((task) => {
    const was = previous.get(keyOf(task));
    return was ? [{ task, was: was.draft }] : [];
  });
  const keys = new Set(fresh.map(keyOf));
  const isAltered = ({ task: { draft }, was }: (typeof kept)[number]): boolean =>
    draft.engine !== was.engine || draft.virtualGpus !== was.virtualGpus;
  return {
    removed: old.filter((task) => !keys.has(keyOf(task))),
    movesAddresses: kept.length < fresh.length || kept.length < old.length || kept.some(({ task, was }) => task.draft.port !== was.port),
    altered: kept.filter(isAltered).map(({ task }) => task),
    switched: kept.filter(({ task, was }) => (task.draft.restart ?? false) !== (was.restart ?? false)).map(({ task }) => task),
  };
}
