import type { TaskDraft, TaskInfo, TaskState } from '#proto/ipc/contract.ts';
import { taskName } from '#proto/wire/device-name.ts';
import type { KnownTask } from '../machines/known-tasks.ts';
import type { ClusterPhase } from './cluster-state.ts';
import type { ClusterMachine } from './task-control.ts';

export interface TaskView {
  readonly job: string;
  readonly draft: TaskDraft;
  readonly phase: ClusterPhase;
  /** Undefined when there is none with the id in the draft. */
  readonly machine: ClusterMachine | undefined;
  /** What its agent has told; undefined when it has no such task. */
  readonly known: KnownTask | undefined;
  /** The agent that has started it is gone, and another is there. */
  readonly hasNewAgent: boolean;
  /** Why it could not be stopped; empty when it could. */
  readonly unreached: string;
}

const DOWN = { startedAt: 0, incarnation: '', memory: 0, heartbeatAge: -1, stepsPerSecond: -1 };
const STATES: readonly TaskState[] = ['stopped', 'starting', 'waiting', 'running', 'paused', 'lost'];

/** What is known of a task of a cluster. */
export function taskInfo(view: TaskView): TaskInfo {
  const { job, draft, known, machine } = view;
  const identity = { ...draft, name: taskName(job, draft.index) };
  const restarts = known?.status.restarts ?? 0;
  const address = view.phase === 'stopped' ? '' : (known?.status.address ?? '');
  const missing = whyMissing(view);
  if (missing) return { ...identity, ...DOWN, ...missing, address, restarts };
  if (!known) return { ...identity, ...DOWN, state: 'stopped', reason: '', address, restarts };
  const { startedAt, incarnation, memory, heartbeatAge, stepsPerSecond } = known.status;
  const state = STATES.find((each) => each === known.status.state) ?? 'lost';
  const reason = machine?.error ? `the task goes on, and nobody watches it: ${machine.error.message}` : known.status.reason;
  const isHeard = machine?.isOnline === true;
  return {
    ...identity,
    ...{ state, reason, address, startedAt, incarnation, memory, restarts },
    heartbeatAge: isHeard && heartbeatAge >= 0 ? heartbeatAge + performance.now() - known.toldAt : -1,
    stepsPerSecond: isHeard ? stepsPerSecond : -1,
  };
}

/** State and reason of a task about which its agent tells nothing that counts now. */
function whyMissing({ phase, machine, draft, known, hasNewAgent, unreached }: TaskView): Pick<TaskInfo, 'state' | 'reason'> | undefined {
  if (phase === 'stopped') return unreached === '' ? { state: 'stopped', reason: '' } : { state: 'lost', reason: unreached };
  if (!machine) return { state: 'lost', reason: `there is no machine '${draft.machine}'; place the task on another one` };
  const goesOn = machine.tasksGoOn && known !== undefined && known.status.startedAt > 0;
  if (machine.error && !goesOn) return { state: 'lost', reason: machine.error.message };
  if (known) return undefined;
  if (phase === 'starting') return { state: 'starting', reason: '' };
  if (phase === 'started' && hasNewAgent) {
    return { state: 'lost', reason: 'the agent of its machine has ended, and the task with it: restart the task to go on' };
  }
  return { state: 'stopped', reason: '' };
}
