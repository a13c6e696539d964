import { readFile } from 'node:fs/promises';
import { create, fromJsonString, toJsonString } from '@bufbuild/protobuf';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import { type KeptTask, KeptTaskSchema } from '#proto/generated/lanflow/kept_task_pb.ts';
import { failedPrecondition, toCode, toStatusError } from '#proto/wire/status.ts';
import type { TaskFacts } from '../task-runner.ts';
import { addressOf, type Setup } from '../task-setup.ts';
import type { LogMark } from './log-file.ts';
import type { ProcessMark } from './process-mark.ts';

const VERSION = 1;

/** The process of a task that was not seen to end. */
export interface RecordedProcess {
  readonly mark: ProcessMark;
  /** `host:port` where it listens; empty: not yet. */
  readonly address: string;
  /** Number of its first line in the task's log. */
  readonly firstLine: number;
}

/** What an agent notes of a task for the one that comes after it. */
export interface TaskRecord {
  readonly facts: TaskFacts;
  readonly process: RecordedProcess | undefined;
  readonly log: LogMark;
}

export async function writeRecord(path: string, { facts, process, log }: TaskRecord): Promise<void> {
  const { setup, restarts, startedAt, isPaused: paused, loss } = facts;
  const kept = create(KeptTaskSchema, {
    ...{ version: VERSION, setup, restarts, startedAt, paused, log },
    ...(process && { process: { ...process.mark, address: process.address, firstLine: process.firstLine } }),
    ...(loss && { loss }),
  });
  await writeFileAtomically(path, `${toJsonString(KeptTaskSchema, kept, { prettySpaces: 2 })}\n`);
}

/** FAILED_PRECONDITION when it is damaged, or a later version's. */
export async function readRecord(path: string): Promise<TaskRecord> {
  const { setup, process, log, version, ...rest } = await parse(path);
  if (version > VERSION) throw failedPrecondition(`${path} was written by a later version of Lanflow; install that again`);
  if (version < 1 || !setup || !log) throw failedPrecondition(`${path} is damaged: it lacks what makes a task`);
  const { restarts, startedAt, paused: isPaused, loss } = rest;
  return {
    facts: { setup: checked(setup, path), restarts, startedAt, isPaused, loss: loss && { reason: loss.reason, code: toCode(loss.code) } },
    process: process && recorded(process),
    log,
  };
}

function recorded({ pid, began, boot, address, firstLine }: NonNullable<KeptTask['process']>): RecordedProcess {
  return { mark: { pid, began, boot }, address, firstLine };
}

async function parse(path: string): Promise<KeptTask> {
  const text = await readFile(path, 'utf8');
  try {
    return fromJsonString(KeptTaskSchema, text, { ignoreUnknownFields: true });
  } catch (error) {
    throw failedPrecondition(`${path} is damaged: ${toStatusError(error).message}`, { cause: error });
  }
}

function checked(setup: Setup, path: string): Setup {
  try {
    addressOf(setup);
    return setup;
  } catch (error) {
    throw failedPrecondition(`${path} is damaged: ${toStatusError(error).message}`, { cause: error });
  }
}
