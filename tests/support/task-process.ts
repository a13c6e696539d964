import { fileURLToPath } from 'node:url';
import { create, toBinary } from '@bufbuild/protobuf';
import { ServerDefSchema } from '#proto/generated/tensorflow/tensorflow_server_pb.ts';
import { requirePython } from './python.ts';
import { startChild, type TaskChild } from './task-child.ts';

/** Job → task index → `host:port`. */
export type Addresses = Readonly<Record<string, Readonly<Record<number, string>>>>;

/** `tensorflow` is the genuine server in our task-server process; `python` is one that Python hosts, as users start it. */
export type TaskEngine = 'bundled' | 'tensorflow' | 'python';

export interface TaskOptions {
  readonly cluster: Addresses;
  readonly job: string;
  readonly task: number;
  readonly engine: TaskEngine;
  /** Further flags of `lanflow task`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface TaskProcess extends TaskChild {
  readonly job: string;
  readonly task: number;
  /** `grpc://host:port` */
  readonly target: string;
  /** SIGTERM, and SIGKILL if that does not help within 6 s. Resolves to the exit code. */
  stop(): Promise<number | null>;
}

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const PATIENCE_MS = 6_000;

/** Starts a task; resolves when it listens, rejects with what it said when it does not. */
export async function startTask(options: TaskOptions): Promise<TaskProcess> {
  const child = options.engine === 'python' ? pythonTask(options) : launchTask(options);
  const target = await (options.engine === 'python' ? pythonTarget(child) : readyTarget(child));
  return {
    ...child,
    job: options.job,
    task: options.task,
    target,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      const code = await child.ended;
      clearTimeout(timer);
      return code;
    },
  };
}

/**
 * The program of a task, started but not waited for; for tests of how it fails to start. LANFLOW_TEST_TASK names another
 * build of it than that of `npm run build`.
 */
export function launchTask({ cluster, job, task, engine, flags = [], env = {} }: TaskOptions): TaskChild {
  const program = process.env['LANFLOW_TEST_TASK'] ?? file('dist/task-server/index.js');
  const identity = ['--cluster', JSON.stringify(cluster), '--job', job, '--task', String(task), '--engine', engine];
  const environment = engine === 'tensorflow' ? { LANFLOW_PYTHON: requirePython(), ...env } : env;
  return startChild({ program: process.execPath, args: [program, ...identity, '--parent-pipe', ...flags], env: environment });
}

async function readyTarget(child: TaskChild): Promise<string> {
  const line = await child.line((text) => text.startsWith('ready '));
  return line.split(' ')[1] ?? '';
}

function pythonTask({ cluster, job, task, env = {} }: TaskOptions): TaskChild {
  const jobs = Object.entries(cluster).map(([name, tasks]) => ({ name, tasks }));
  const serverDef = create(ServerDefSchema, { cluster: { job: jobs }, jobName: job, taskIndex: task, protocol: 'grpc' });
  const encoded = Buffer.from(toBinary(ServerDefSchema, serverDef)).toString('base64');
  return startChild({ program: requirePython(), args: [file('task-server/tensorflow/serve.py'), encoded], env });
}

async function pythonTarget(child: TaskChild): Promise<string> {
  const reply: { target?: string; message?: string } = JSON.parse(await child.line((text) => text.startsWith('{')));
  if (reply.target === undefined) throw new Error(reply.message);
  return reply.target;
}
