import type { ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';

function task(job: string, index: number, machine: string, change: Partial<TaskInfo> = {}): TaskInfo {
  return {
    ...{ index, machine, engine: 'bundled', port: 0, virtualGpus: 0, restart: false },
    ...{ name: `/job:${job}/replica:0/task:${index}`, state: 'running', reason: '', address: `10.0.4.1${machine.slice(1)}:222${index}` },
    ...{
      startedAt: Date.now() - 65_000,
      incarnation: '1f2e3d4c5b6a7988',
      memory: 62e6,
      heartbeatAge: 300,
      stepsPerSecond: 12,
      restarts: 0,
    },
    ...change,
  };
}

/** On machines of the scripted lab: the one of its last two tasks has vanished, and it is open to a network. */
export function clusterInTrouble(): ClusterInfo {
  const reason =
    'lab-07 cannot be reached: No machine answers at lab-07 (10.0.4.17): it is switched off, unplugged, or has another address now';
  const lost = { state: 'lost', reason, startedAt: 0, incarnation: '', memory: 0, heartbeatAge: -1, stepsPerSecond: -1 } as const;
  const open = [task('ps', 0, 'm1'), task('worker', 0, 'm2')];
  return {
    id: 'c1',
    title: 'Lesson 3',
    state: 'degraded',
    jobs: [
      { name: 'ps', tasks: open.slice(0, 1) },
      { name: 'worker', tasks: [...open.slice(1), task('worker', 1, 'm7', lost), task('worker', 2, 'm7', lost)] },
    ],
    openings: [
      {
        network: '10.0.4.0/24',
        closesAt: Date.now() + 872_000,
        addresses: Object.fromEntries(open.map(({ name, address }) => [name, address])),
      },
    ],
  };
}
