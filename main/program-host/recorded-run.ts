import { type StatusError, toStatusError } from '#proto/wire/status.ts';
import { ClusterSpec, type Outcome } from '../client/index.ts';
import { placeLine } from './failed-node.ts';
import { type RunEvent, type RunProgramOptions, type RunResult, runProgram } from './run-program.ts';

/** What a run's life changes of its record. */
export interface RunChange {
  readonly state?: 'running' | 'paused' | 'finished' | 'failed' | 'stopped';
  readonly status?: string;
  readonly errorCode?: string;
  readonly programTitle?: string;
  readonly tasks?: readonly string[];
  readonly cluster?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly outcomes?: Readonly<Record<string, Outcome>>;
  readonly problems?: readonly string[];
  readonly isChecked?: boolean;
}

/** Where a run is recorded: a `Recorder` of the run library. None of its methods fails. */
export interface RunRecorder {
  change(change: RunChange): void;
  addLine(source: string, kind: 'client' | 'task' | 'wait' | 'progress' | 'error', text: string): void;
  addSample(client: string, series: string, step: number, value: number): void;
  addTrace(client: string, name: string, metadata: Uint8Array): Promise<void>;
  addGraph(client: string, graphDef: Uint8Array): void;
  setSteps(client: string, count: number): void;
  finish(change: RunChange): Promise<void>;
}

/** The source of what Lanflow itself says in a run's log. */
export const LANFLOW = 'lanflow';
/** A longer text in an outcome is cut where it is recorded: the record is read often. */
const MAX_TEXT = 10_000;

/** Runs a program as `runProgram` does, and records it from its first client to its end, however it ends. Settles when it is recorded. */
export async function runRecorded(recorder: RunRecorder, options: RunProgramOptions): Promise<RunResult> {
  const { signal, steering, onEvent, onReady, onTaskLine } = options;
  const traces: Promise<void>[] = [];
  try {
    const result = await runProgram({
      ...options,
      onTaskLine: (task, line) => {
        recorder.addLine(task, 'task', line);
        onTaskLine?.(task, line);
      },
      onReady: (program, jobs) => {
        const spec = new ClusterSpec(jobs);
        const tasks = spec.tasks.map(({ name }) => name);
        const state = steering?.isPaused ? 'paused' : 'running';
        recorder.change({ state, status: '', programTitle: program.title, tasks, cluster: addressesOf(spec) });
        onReady?.(program, jobs);
      },
      onEvent: (event) => {
        const done = record(recorder, event);
        if (done) traces.push(done);
        onEvent?.(event);
      },
    });
    await Promise.all(traces);
    const { program, outcomes, problems } = result;
    const isChecked = program.isChecked ?? false;
    await recorder.finish({ state: 'finished', status: '', outcomes: shortened(outcomes), problems, isChecked });
    return result;
  } catch (error) {
    await Promise.all(traces);
    await finishWith(recorder, toStatusError(error), signal?.aborted ?? false);
    throw error;
  }
}

/** What takes its time is returned. */
function record(recorder: RunRecorder, event: RunEvent): Promise<void> | undefined {
  const { client } = event;
  if (event.kind === 'sample') recorder.addSample(client, event.series, event.step, event.value);
  else if (event.kind === 'steps') recorder.setSteps(client, event.count);
  else if (event.kind === 'graph') recorder.addGraph(event.name, event.graphDef);
  else if (event.kind === 'trace') return recorder.addTrace(client, event.name, event.metadata);
  else if (event.kind === 'log') recorder.addLine(client, 'client', event.text);
  else if (event.kind === 'notice') recorder.addLine(LANFLOW, 'progress', event.text);
  else {
    // What is told of a task stands in the log under its name.
    const task = /^\/job:\S+/.exec(event.text)?.[0];
    recorder.addLine(event.kind === 'wait' ? client : (task ?? LANFLOW), event.kind, event.text);
    recorder.change({ status: event.text });
  }
  return undefined;
}

async function finishWith(recorder: RunRecorder, error: StatusError, wasStopped: boolean): Promise<void> {
  if (wasStopped) return recorder.finish({ state: 'stopped', status: '' });
  recorder.addLine(LANFLOW, 'error', `${error.codeName}: ${error.message}`);
  const place = placeLine(error);
  if (place !== '') recorder.addLine(LANFLOW, 'error', place);
  // The whole text is in the log.
  await recorder.finish({ state: 'failed', status: error.message.split('\n', 1)[0] ?? '', errorCode: error.codeName });
}

function shortened(outcomes: RunResult['outcomes']): Record<string, Outcome> {
  const short = (value: Outcome[string]): Outcome[string] => {
    if (typeof value === 'string' && value.length > MAX_TEXT) return `${value.slice(0, MAX_TEXT)}…`;
    return Array.isArray(value) && value.length > MAX_TEXT ? `${value.length} elements, from ${value[0]} to ${value.at(-1)}` : value;
  };
  const entries = [...outcomes].map(([client, outcome]) => [client, mapped(outcome, short)] as const);
  return Object.fromEntries(entries);
}

function mapped(outcome: Outcome, change: (value: Outcome[string]) => Outcome[string]): Outcome {
  return Object.fromEntries(Object.entries(outcome).map(([name, value]) => [name, change(value)]));
}

export function addressesOf(spec: ClusterSpec): Record<string, Record<string, string>> {
  const jobs = spec.jobs.map((job) => [job, spec.tasks.filter((task) => task.job === job)] as const);
  return Object.fromEntries(jobs.map(([job, tasks]) => [job, Object.fromEntries(tasks.map(({ index, address }) => [index, address]))]));
}
