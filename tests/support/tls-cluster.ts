import { fileURLToPath } from 'node:url';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import type { OtherMachine } from './other-machine.ts';
import type { TaskChild } from './task-child.ts';
import { type TlsLab, taskIdentity, tlsFlags } from './tls-lab.ts';

export interface TlsTask extends TaskChild {
  readonly target: string;
  readonly address: string;
  stop(): Promise<void>;
}

export interface TlsTaskOptions {
  readonly machine: OtherMachine;
  readonly cluster: Readonly<Record<string, readonly string[]>>;
  readonly job: string;
  readonly task?: number;
  readonly files?: TlsFiles | undefined;
  readonly flags?: readonly string[];
}

const program = fileURLToPath(new URL('../../dist/task-server/index.js', import.meta.url));

/** A task on the other machine; resolves when it listens. */
export async function startTlsTask({ machine, cluster, job, task = 0, files, flags = [] }: TlsTaskOptions): Promise<TlsTask> {
  const identity = ['--cluster', JSON.stringify(cluster), '--job', job, '--task', String(task), '--parent-pipe'];
  const child = machine.start(process.execPath, [program, ...identity, ...(files ? tlsFlags(files) : []), ...flags]);
  const target = (await child.line((line) => line.startsWith('ready '))).split(' ')[1] ?? '';
  return {
    ...child,
    target,
    address: target.replace('grpc://', ''),
    async stop() {
      child.kill('SIGTERM');
      await child.ended;
    },
  };
}

/** One ps and one worker on the other machine, each with a certificate of its own. */
export async function startTlsCluster(
  machine: OtherMachine,
  { issue }: TlsLab,
  ports: readonly [number, number],
  flags: readonly string[] = [],
) {
  const cluster = { ps: [`${machine.address}:${ports[0]}`], worker: [`${machine.address}:${ports[1]}`] };
  const start = async (job: string) => startTlsTask({ machine, cluster, job, flags, files: await issue([taskIdentity(job, 0)]) });
  const [ps, worker] = await Promise.all([start('ps'), start('worker')]);
  return { cluster, ps, worker };
}
