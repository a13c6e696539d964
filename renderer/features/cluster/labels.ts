import type { ClusterState, TaskState } from '#proto/ipc/contract.ts';
import type { ProblemKind } from './problems.ts';

type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'bad';

/** Word and tone of each state, for chips. */
export const clusterStates = {
  stopped: { text: 'clusterState.stopped', tone: 'neutral' },
  starting: { text: 'clusterState.starting', tone: 'accent' },
  running: { text: 'clusterState.running', tone: 'ok' },
  degraded: { text: 'clusterState.degraded', tone: 'warn' },
  stopping: { text: 'clusterState.stopping', tone: 'accent' },
} as const satisfies Record<ClusterState, { text: string; tone: Tone }>;

export const taskStates = {
  stopped: { text: 'cluster.taskStopped', tone: 'neutral' },
  starting: { text: 'cluster.taskStarting', tone: 'accent' },
  waiting: { text: 'cluster.taskWaiting', tone: 'bad' },
  running: { text: 'cluster.taskRunning', tone: 'ok' },
  paused: { text: 'cluster.taskPaused', tone: 'warn' },
  lost: { text: 'cluster.taskLost', tone: 'bad' },
} as const satisfies Record<TaskState, { text: string; tone: Tone }>;

export const problemTexts = {
  noTasks: 'cluster.problemNoTasks',
  badJobName: 'cluster.problemBadJobName',
  sameJobName: 'cluster.problemSameJobName',
  emptyJob: 'cluster.problemEmptyJob',
  gap: 'cluster.problemGap',
  sameIndex: 'cluster.problemSameIndex',
  unknownMachine: 'cluster.problemUnknownMachine',
  machineAway: 'cluster.problemMachineAway',
  noEngine: 'cluster.problemNoEngine',
  badPort: 'cluster.problemBadPort',
  samePort: 'cluster.problemSamePort',
  badGpus: 'cluster.problemBadGpus',
  gpusIgnored: 'cluster.problemGpusIgnored',
} as const satisfies Record<ProblemKind, string>;
