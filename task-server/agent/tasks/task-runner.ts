import { existsSync } from 'node:fs';
import { type Code, notFound } from '#proto/wire/status.ts';
import { TaskChild } from './task-child.ts';
import type { Launch, TaskProcess } from './task-process.ts';
import type { Setup } from './task-setup.ts';

/** What another agent would have to know of a task to go on with it, besides its process. */
export interface TaskFacts {
  readonly setup: Setup;
  readonly restarts: number;
  /** Unix epoch in milliseconds; 0: it does not listen. */
  readonly startedAt: number;
  readonly isPaused: boolean;
  /** Why it does not run, and is not started by itself. */
  readonly loss: { readonly reason: string; readonly code: Code } | undefined;
}

/** Runs the processes of one task, one after the other. */
export interface TaskRunner {
  /** Resolves to the process that an agent before this one has left, if it is there still; all that the task has said was heard then. */
  recover(): Promise<TaskProcess | undefined>;
  /** The next process. NOT_FOUND when the program is not there. */
  launch(launch: Launch): TaskProcess;
  /** Puts a line of the agent's own among those of the task. */
  note(line: string): void;
  /** How the task fares now; resolves when another agent would know it. */
  keep(facts: TaskFacts): Promise<void>;
  /** The task is no more. */
  forget(): Promise<void>;
  /** This agent ends, and the task goes on where it can. */
  leave(): Promise<void>;
}

/** Hears all lines of a task; times are Unix epoch in milliseconds. */
export type LineListener = (line: string, time: number) => void;

/** A task whose processes end with the agent at the latest. */
export class BoundRunner implements TaskRunner {
  readonly #onLine: LineListener;

  constructor(onLine: LineListener) {
    this.#onLine = onLine;
  }

  async recover(): Promise<undefined> {
    return undefined;
  }

  launch(launch: Launch): TaskProcess {
    checkProgram(launch);
    return new TaskChild(launch, (line) => this.note(line));
  }

  note(line: string): void {
    this.#onLine(line, Date.now());
  }

  async keep(): Promise<void> {}

  async forget(): Promise<void> {}

  async leave(): Promise<void> {}
}

export function checkProgram({ command: [program = ''] }: Launch): void {
  if (existsSync(program)) return;
  throw notFound(`The task program is not at ${program}; install Lanflow on this machine again, or name it with LANFLOW_TASK_SERVER`);
}
