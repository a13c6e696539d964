import type { MachineInfo, TaskDraft } from '#proto/ipc/contract.ts';
import { engineOn } from '../../stores/machine-engines.ts';
import { type Draft, isDense, type TaskPlace } from './draft.ts';

/** What is wrong with a draft, where. An error keeps the cluster from starting, a warning does not. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly severity: 'error' | 'warning';
  /** Place of the job; undefined when the problem is of the whole cluster. */
  readonly job?: number;
  readonly task?: number;
  /** For the text: the name, port or machine that is wrong. */
  readonly what: string;
}

export type ProblemKind =
  | 'noTasks'
  | 'badJobName'
  | 'sameJobName'
  | 'emptyJob'
  | 'gap'
  | 'sameIndex'
  | 'unknownMachine'
  | 'machineAway'
  | 'noEngine'
  | 'badPort'
  | 'samePort'
  | 'badGpus'
  | 'gpusIgnored';

const JOB_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
/** A cluster of more pretended cards than this per task is a slip of the keyboard. */
const MOST_GPUS = 16;

/** In the order of the jobs and tasks. `machines` undefined: they are not known yet, and not checked. */
export function findProblems(draft: Draft, machines: readonly MachineInfo[] | undefined): Problem[] {
  const known = machines && new Map(machines.map((machine) => [machine.id, machine]));
  const problems: Problem[] = draft.jobs.every(({ tasks }) => tasks.length === 0) ? [{ kind: 'noTasks', severity: 'error', what: '' }] : [];
  const users = portUsers(draft);
  for (const [job, { name, tasks }] of draft.jobs.entries()) {
    problems.push(...jobProblems(draft, job).map((problem) => ({ ...problem, job, what: name })));
    for (const [task, each] of tasks.entries()) {
      problems.push(...taskProblems(each, known).map((problem) => ({ ...problem, job, task })));
      const rivals = users.get(portKey(each)) ?? [];
      if (each.port > 0 && rivals.length > 1) problems.push({ kind: 'samePort', severity: 'error', job, task, what: String(each.port) });
    }
  }
  return problems;
}

export function isStartable(problems: readonly Problem[]): boolean {
  return problems.every(({ severity }) => severity !== 'error');
}

function jobProblems({ jobs }: Draft, place: number): Pick<Problem, 'kind' | 'severity'>[] {
  const job = jobs[place];
  if (!job) return [];
  const indexes = job.tasks.map(({ index }) => index);
  const found: [boolean, ProblemKind, Problem['severity']][] = [
    [!JOB_NAME.test(job.name), 'badJobName', 'error'],
    [jobs.some(({ name }, other) => other !== place && name === job.name), 'sameJobName', 'error'],
    [indexes.length === 0, 'emptyJob', 'warning'],
    [new Set(indexes).size < indexes.length, 'sameIndex', 'error'],
    [!isDense(job.tasks) && new Set(indexes).size === indexes.length, 'gap', 'warning'],
  ];
  return found.flatMap(([is, kind, severity]) => (is ? [{ kind, severity }] : []));
}

function taskProblems(
  task: TaskDraft,
  machines: ReadonlyMap<string, MachineInfo> | undefined,
): Pick<Problem, 'kind' | 'severity' | 'what'>[] {
  const { machine, port, virtualGpus, engine } = task;
  const standsOn = machines?.get(machine);
  const found: [boolean, ProblemKind, Problem['severity'], string][] = [
    [machines !== undefined && standsOn === undefined, 'unknownMachine', 'error', machine],
    // It may be back by the time of the start, which waits for it and says so.
    [standsOn !== undefined && standsOn.state !== 'online', 'machineAway', 'warning', standsOn?.name ?? machine],
    [(engineOn(standsOn, engine)?.problem ?? '') !== '', 'noEngine', 'error', standsOn?.name ?? machine],
    [!isBetween(port, 0, 65535), 'badPort', 'error', String(port)],
    [!isBetween(virtualGpus, 0, MOST_GPUS), 'badGpus', 'error', String(virtualGpus)],
    [virtualGpus > 0 && engine === 'tensorflow', 'gpusIgnored', 'warning', String(virtualGpus)],
  ];
  return found.flatMap(([is, kind, severity, what]) => (is ? [{ kind, severity, what }] : []));
}

function portUsers({ jobs }: Draft): Map<string, TaskPlace[]> {
  const users = new Map<string, TaskPlace[]>();
  for (const [job, { tasks }] of jobs.entries()) {
    for (const [task, each] of tasks.entries()) users.set(portKey(each), [...(users.get(portKey(each)) ?? []), { job, task }]);
  }
  return users;
}

function portKey({ machine, port }: TaskDraft): string {
  return `${port} ${machine}`;
}

function isBetween(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
