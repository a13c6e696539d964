import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentEvent, Engine } from '#proto/generated/lanflow/agent_pb.ts';
import { type AgentClient, GrpcAgentClient, type TaskSetup } from '../../main/machines/agent-client.ts';
import { KnownTasks } from '../../main/machines/known-tasks.ts';
import { startChild, type TaskChild } from './task-child.ts';

/** The built agent. */
export const agentProgram = fileURLToPath(new URL('../../dist/task-server/agent.js', import.meta.url));

/** An agent's process in the foreground, and a caller that follows its events. */
export interface TestAgent {
  readonly child: TaskChild;
  readonly client: AgentClient;
  readonly tasks: KnownTasks;
  /** Of its machine, as last told. */
  readonly engines: () => readonly Engine[];
  /** Resolves as soon as that holds for what has been told. */
  when(holds: (tasks: KnownTasks) => boolean): Promise<void>;
  /** Starts a cluster of tasks that are all on this machine; resolves to their ids. */
  form(cluster: string, jobs: Readonly<Record<string, number>>, more?: Partial<TaskSetup>): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function agentAddress(dataFolder: string): Promise<{ socket: string; token: string; pid: number; port?: number }> {
  return JSON.parse(await readFile(join(dataFolder, 'agent', 'agent.json'), 'utf8'));
}

export function launchAgent(dataFolder: string, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}): TaskChild {
  const child = startChild({ program: process.execPath, args: [agentProgram, '--data', dataFolder, ...flags], env });
  launched.add(child);
  return child;
}

const launched = new Set<TaskChild>();

/** Ends all agents that were launched and still run: after a test that may have failed half-way. */
export async function endAgents(): Promise<void> {
  const all = [...launched];
  launched.clear();
  for (const { kill } of all) kill('SIGTERM');
  await Promise.all(all.map(({ ended }) => ended));
}

export async function startAgent(
  dataFolder: string,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<TestAgent> {
  const child = launchAgent(dataFolder, flags, env);
  await child.line((text) => text.startsWith('ready '));
  const { socket, token } = await agentAddress(dataFolder);
  const client = new GrpcAgentClient({ target: `unix:${socket}`, name: 'The agent', metadata: { 'lanflow-token': token } });
  const tasks = new KnownTasks();
  const waiting = new Set<() => void>();
  let engines: readonly Engine[] = [];
  const stop = new AbortController();
  const onEvent = ({ event }: AgentEvent): void => {
    if (event.case === 'snapshot') tasks.reset(event.value.task);
    if (event.case === 'snapshot') engines = event.value.machine?.engine ?? [];
    else if (event.case === 'machine') engines = event.value.engine;
    else if (event.case === 'task') tasks.learn(event.value);
    else if (event.case === 'status') tasks.learn({ id: event.value.id, status: event.value });
    else if (event.case === 'removed') tasks.remove(event.value);
    for (const look of [...waiting]) look();
  };
  const following = client.events({ keep: false, logFrom: {}, onEvent, signal: stop.signal }).catch(() => undefined);
  const when: TestAgent['when'] = (holds) =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds(tasks)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return {
    child,
    client,
    tasks,
    engines: () => engines,
    when,
    form: async (cluster, jobs, more = {}) => {
      const places = Object.entries(jobs).flatMap(([job, count]) => Array.from({ length: count }, (_, index) => ({ job, index })));
      const ports = await client.reservePorts(places.map(() => 0));
      const spec: Record<string, Record<number, string>> = {};
      for (const [i, { job, index }] of places.entries()) spec[job] = { ...spec[job], [index]: `127.0.0.1:${ports[i]}` };
      const setup = { cluster, spec: JSON.stringify(spec), engine: 'bundled', startId: 'test', ...more };
      const started = await Promise.all(places.map((place) => client.startTask({ ...setup, ...place })));
      return started.map(({ id }) => id);
    },
    close: async () => {
      stop.abort();
      await following;
      client.close();
      child.kill('SIGTERM');
      await child.ended;
    },
  };
}
