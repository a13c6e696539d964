import { once } from 'node:events';
import type { ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import { cancelled, unavailable } from '#proto/wire/status.ts';
import { findCluster, type LocalLab, openLab } from './local-lab.ts';
import { formatJson, type Terminal } from './terminal.ts';

/**
 * Starts a cluster. Where an agent runs already its tasks are left to that; otherwise they belong to this process, which stays until
 * it is told to stop or the cluster is stopped by somebody else.
 */
export async function clusterUp(name: string, { json }: { json?: true }, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const changed = new EventTarget();
  const said = new Map<string, string>();
  let watched: string | undefined;
  const onChange = (): void => {
    for (const task of tasksOf(lab?.clusters.list().find(({ id }) => id === watched))) sayNews(task, said, terminal);
    changed.dispatchEvent(new Event('change'));
  };
  let lab: LocalLab | undefined;
  try {
    lab = await openLab(terminal, { onChange });
    const cluster = findCluster(lab, name);
    watched = cluster.saved.id;
    const cancel = (): void => void cluster.stop();
    signal.addEventListener('abort', cancel);
    await cluster.start();
    signal.removeEventListener('abort', cancel);
    terminal.print(json ? formatJson(cluster.info) : readyLines(cluster.info));
    const { machines } = lab;
    const isHere = tasksOf(cluster.info).some(({ machine }) => machine === machines.here);
    if (!isHere || !machines.ownsAgent) {
      if (isHere && !machines.now().some(({ isThis, isInstalled }) => isThis && isInstalled)) terminal.log(SHARED);
      return;
    }
    terminal.log(OWN);
    const aborted = signal.aborted ? undefined : once(signal, 'abort');
    while (!signal.aborted && !cluster.isStopped) await Promise.race([once(changed, 'change'), aborted]);
    if (!signal.aborted) terminal.log(`Cluster '${cluster.saved.title}' was stopped`);
    await cluster.stop();
  } catch (error) {
    if (signal.aborted) throw cancelled('Stopped by the user', { cause: error });
    throw error;
  } finally {
    await lab?.close();
  }
}

const SHARED = 'Its tasks end with the app or command whose agent runs them, or with lanflow cluster down.';
const OWN = 'No agent runs on this machine: the cluster ends with this command (Ctrl-C), or with lanflow cluster down.';

export async function clusterDown(name: string, terminal: Terminal): Promise<void> {
  const lab = await openLab(terminal);
  try {
    const cluster = findCluster(lab, name);
    if (cluster.isStopped) {
      terminal.print(`Cluster '${cluster.saved.title}' is stopped already`);
      return;
    }
    await cluster.stop();
    const unreached = tasksOf(cluster.info).filter(({ reason }) => reason !== '');
    for (const { name: task, reason } of unreached) terminal.log(`${task}: ${reason}`);
    if (unreached.length > 0) throw unavailable(`${unreached.length} tasks could not be stopped`);
    terminal.print(`${tasksOf(cluster.info).length} tasks stopped`);
  } finally {
    await lab.close();
  }
}

export function tasksOf(cluster: ClusterInfo | undefined): readonly TaskInfo[] {
  return (cluster?.jobs ?? []).flatMap(({ tasks }) => tasks);
}

/** `ready grpc://host:port /job:ps/replica:0/task:0`, as tasks themselves say it. */
function readyLines(cluster: ClusterInfo): string {
  return tasksOf(cluster)
    .map(({ address, name }) => `ready grpc://${address} ${name}`)
    .join('\n');
}

function sayNews({ name, state, reason }: TaskInfo, said: Map<string, string>, terminal: Terminal): void {
  const text = reason === '' ? state : `${state}: ${reason}`;
  if (said.get(name) === text) return;
  said.set(name, text);
  terminal.progress(`${name} is ${text}`);
}
