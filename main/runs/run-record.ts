import type { RunInfo, RunState, SeriesInfo, TaskRestart, TraceInfo } from '#proto/ipc/contract.ts';
import { flag, integer, list, number, object, oneOf, record, type Shape, text } from '#proto/ipc/shape.ts';

/** run.json: all of a run but its samples, traces and logs. */
export interface RunRecord extends Omit<RunInfo, 'traces'> {
  /** Of this format. */
  readonly version: 1;
  readonly traces: readonly TraceInfo[];
  /** Addresses by job and index; empty for a program that makes its own sessions. */
  readonly cluster: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What it ran on: Lanflow, Node, operating system. */
  readonly versions: Readonly<Record<string, string>>;
  /** The process that records it, while it goes on. */
  readonly owner: { readonly pid: number; readonly host: string };
}

const MAX_TEXT = 1_000_000;
const long = text({ max: MAX_TEXT });
/** A program may make any number of series, clients and traces. */
const many = { max: 1_000_000 };
const count = integer(0, Number.MAX_SAFE_INTEGER);
const state: Shape<RunState> = oneOf('starting', 'running', 'paused', 'stopping', 'finished', 'failed', 'stopped');
const anything: Shape<unknown> = (value) => value;
const restarts = list(object<TaskRestart>({ task: text(), at: number }), many);

/** The version is written for later readers; this one refuses what it does not know. */
export const recordShape = object<RunRecord>(
  {
    version: (value, where) => integer(1, 1)(value, where) as 1,
    id: text({ max: 100, pattern: /^[A-Za-z0-9][\w.-]*$/ }),
    title: text(),
    note: long,
    program: text(),
    programTitle: text(),
    state,
    status: long,
    errorCode: text(),
    tasks: list(text(), many),
    // Older records do not have them.
    restarts: (value, where) => (value === undefined ? [] : restarts(value, where)),
    clients: list(text(), many),
    series: list(object<SeriesInfo>({ name: text(), client: text(), points: count, last: number }), many),
    traces: list(
      object<TraceInfo>({
        id: text({ max: 100, pattern: /^[A-Za-z0-9][\w.-]*$/ }),
        name: text(),
        client: text(),
        duration: number,
        devices: list(text()),
        entries: count,
      }),
      many,
    ),
    // Records of the first releases do not have it.
    steps: (value, where) => (value === undefined ? 0 : count(value, where)),
    logLines: count,
    startedAt: number,
    endedAt: number,
    outcomes: record(record(anything)),
    problems: list(long, many),
    cluster: record(record(text())),
    versions: record(text()),
    owner: object<RunRecord['owner']>({ pid: count, host: text() }),
  },
  { isChecked: flag, clusterId: text() },
);

export function runInfo({ version: _, cluster: _c, versions: _v, owner: _o, traces, ...info }: RunRecord): RunInfo {
  return { ...info, traces: traces.length };
}

export function isGoingOn({ state: now }: Pick<RunInfo, 'state'>): boolean {
  return now === 'starting' || now === 'running' || now === 'paused' || now === 'stopping';
}
