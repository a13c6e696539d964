import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ClusterControl } from './cluster-control.ts';
import { type ClusterKind, standardJobs } from './cluster-kinds.ts';
import { requirePython } from './python.ts';
import { startChild, type TaskChild } from './task-child.ts';

export interface CaseOutcome {
  /** Relative, for floats; as the Python case says. */
  readonly tolerance?: number;
  /** What the case returned; absent when it failed. */
  readonly result?: unknown;
  readonly failure?: string;
}

export interface CaseRun {
  /** Waits until the case has run. */
  outcome(name: string): Promise<CaseOutcome>;
  /** Resolves when every case has run, or none will any more. */
  readonly finished: Promise<void>;
  /** Ends whatever runs the cases, and every task. */
  stop(): Promise<void>;
}

const folder = fileURLToPath(new URL('../conformance/python/', import.meta.url));

/** Names of all cases, read from the sources: tests must be declared before any Python runs. */
export function pythonCaseNames(): string[] {
  const files = readdirSync(folder)
    .filter((name) => /^(cases|tutorial)_.*\.py$/.test(name))
    .sort();
  return files.flatMap((name) =>
    [...readFileSync(`${folder}${name}`, 'utf8').matchAll(/^@case\('([^']+)'/gm)].map((match) => match[1] ?? ''),
  );
}

/** One Python process that runs all cases, in the order of their names, on clusters of one kind. */
export function runPythonCases(kind: ClusterKind): CaseRun {
  const control = new ClusterControl(kind);
  const starting = startRunner(control);
  starting.then((child) => serve(child, control)).catch(() => {}); // Whoever asks for an outcome sees the error.
  const outcomes = new Map<string, Promise<CaseOutcome>>();
  return {
    outcome(name) {
      const known = outcomes.get(name) ?? starting.then((child) => reported(child, name));
      outcomes.set(name, known);
      return known;
    },
    finished: starting.then((child) => child.ended).then(() => control.stopAll(), nothing),
    async stop() {
      const child = await starting.catch(() => undefined);
      child?.kill('SIGKILL');
      await child?.ended;
      await control.stopAll();
    },
  };
}

function nothing(): void {}

async function reported(child: TaskChild, name: string): Promise<CaseOutcome> {
  return JSON.parse(await child.line((line) => line.startsWith(`{"case": ${JSON.stringify(name)},`)));
}

async function startRunner(control: ClusterControl): Promise<TaskChild> {
  const main = await control.start({ jobs: standardJobs });
  const args = [`${folder}run_cases.py`, JSON.stringify(main)];
  return startChild({ program: requirePython(), args, env: { PYTHONDONTWRITEBYTECODE: '1' } });
}

/** Does what the program asks for until it ends. */
async function serve(child: TaskChild, control: ClusterControl): Promise<never> {
  for (;;) {
    const request = JSON.parse(await child.line((line) => line.startsWith('{"ask":')));
    child.write(JSON.stringify(await control.answer(request)));
  }
}
