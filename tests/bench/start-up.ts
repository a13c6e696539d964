import { readFileSync } from 'node:fs';
import { startCluster } from '../support/cluster.ts';
import { interleave, type Measurement } from './measure.ts';

const SETTLE_MS = 1000;

/** Time from starting a task's process until it says that it is ready, and what memory it has when nothing happens. */
export async function measureStartUp(rounds: number): Promise<Measurement[]> {
  const memory = { bundled: 0, python: 0 };
  const seconds = await interleave(rounds, async (engine) => {
    const begin = performance.now();
    const cluster = await startCluster({ jobs: { local: 1 }, engine });
    const took = performance.now() - begin;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    memory[engine] = residentMegabytes(cluster.process('local', 0).pid);
    await cluster.stop();
    return took / 1000;
  });
  return [
    { name: 'start to ready', unit: 's', better: 'less', goal: 6, values: seconds },
    { name: 'idle memory', unit: 'MB', better: 'less', goal: 4, values: memory },
  ];
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
