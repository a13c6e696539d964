import { fileURLToPath } from 'node:url';
import { requirePython } from '../support/python.ts';
import { startChild } from '../support/task-child.ts';
import type { BenchClient } from './client.ts';

const script = fileURLToPath(new URL('../../tests/bench/client.py', import.meta.url));

export async function pythonClient(): Promise<BenchClient> {
  const child = startChild({ program: requirePython(), args: [script] });
  const answer = async (): Promise<{ seconds: number }> => JSON.parse(await child.line((line) => line.startsWith('{')));
  await answer();
  return {
    language: 'Python',
    async run(target, workload, steps) {
      child.write(JSON.stringify({ target, workload, steps }));
      return (await answer()).seconds;
    },
    async close() {
      child.kill('SIGKILL');
      await child.ended;
    },
  };
}
