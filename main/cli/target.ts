import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { invalidArgument, toStatusError } from '#proto/wire/status.ts';
import { type ClusterInput, ClusterSpec, type SessionOptions, type WaitReport } from '../client/index.ts';
import type { Terminal } from './terminal.ts';

/** The flags that say where a session goes. */
export interface TargetFlags {
  readonly target?: string;
  readonly cluster?: string;
  readonly timeout?: string;
}

export function addTargetOptions(command: Command, { required = false } = {}): void {
  const target = 'the task to dial, grpc://HOST:PORT';
  if (required) command.requiredOption('--target <address>', target);
  else command.option('--target <address>', target);
  command
    .option('--cluster <json>', 'all tasks of the cluster as JSON or @FILE, so that a wait can name the task that is missing')
    .option('--timeout <seconds>', 'give up when the cluster does not answer in time');
}

export function sessionOptions(flags: TargetFlags, terminal: Terminal): Omit<SessionOptions, 'graph'> {
  return {
    onWait: (report) => terminal.progress(waitText(report)),
    ...(flags.cluster !== undefined && { cluster: new ClusterSpec(readCluster(flags.cluster)) }),
    ...(flags.timeout !== undefined && { operationTimeoutMs: seconds(flags.timeout) * 1000 }),
  };
}

/** `{"ps": ["host:port"]}` or `@FILE`. */
export function readCluster(text: string): ClusterInput {
  try {
    return JSON.parse(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text) as ClusterInput;
  } catch (error) {
    throw invalidArgument(`--cluster: ${toStatusError(error).message}`, { cause: error });
  }
}

function waitText({ task, address, reason, sinceMs }: WaitReport): string {
  return `waiting for ${task ?? 'the task'} at ${address} since ${Math.round(sinceMs / 1000)} s: ${reason}`;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw invalidArgument(`--timeout: '${text}' is no number of seconds`);
  return value;
}
