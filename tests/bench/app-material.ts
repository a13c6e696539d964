import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from '#proto/files/is-process-alive.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import { RunLibrary } from '../../main/runs/run-library.ts';

/** A finished run with so many series of so many points. Returns its id. */
export async function writeLargeRun(dataFolder: string, { series, points }: { series: number; points: number }): Promise<string> {
  const ignore = (): void => {};
  const runs = await RunLibrary.open({
    folder: join(dataFolder, 'runs'),
    writeFile: writeFileAtomically,
    isProcessAlive,
    versions: {},
    log: (line) => console.error(line),
    listener: { onInfo: ignore, onSamples: ignore, onLines: ignore, onRemoved: ignore },
  });
  const recorder = await runs.start({ title: 'Large', program: 'large', programTitle: 'Large', tasks: [], cluster: {} });
  for (let step = 0; step < points; step++)
    for (let k = 0; k < series; k++) recorder.addSample('client', `loss ${k}`, step, Math.sin(step / (300 + 40 * k)) + k / 4);
  await recorder.finish({ state: 'finished' });
  runs.close();
  return recorder.record.id;
}

/** A program whose graph has so many nodes, each of which takes the output of one or two before. Returns its path. */
export function writeLargeGraph(folder: string, nodes: number): string {
  const path = join(folder, 'large-graph.ts');
  writeFileSync(
    path,
    `import { defineProgram, Graph } from 'lanflow/client';
    export default defineProgram({
      name: 'large', title: 'A large graph', cluster: { worker: 1 },
      async run(context) {
        const graph = new Graph();
        const outputs = [graph.constant(1)];
        for (let k = 1; k < ${nodes}; k++) outputs.push(graph.add(outputs[k - 1 - (k % 7 % Math.min(k, 7))], outputs[Math.floor(k / 2)]));
        await context.session(graph, 'worker', 0).run(outputs.at(-1));
        return {};
      },
    });`,
  );
  return path;
}
