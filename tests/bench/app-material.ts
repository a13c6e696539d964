import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { isProcessAlive } from '#proto/files/is-process-alive.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import { RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { NodeExecStatsSchema } from '#proto/generated/tensorflow/step_stats_pb.ts';
import { taskName } from '#proto/wire/device-name.ts';
import { RunLibrary } from '../../main/runs/run-library.ts';

export interface LargeRun {
  readonly series: number;
  /** Of each series. */
  readonly points: number;
  /** Of its one trace, `trace-1`. */
  readonly events: number;
}

/** A finished run of that size. Returns its id. */
export async function writeLargeRun(dataFolder: string, { series, points, events }: LargeRun): Promise<string> {
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
  await recorder.addTrace('client', 'large', largeTrace(events));
  await recorder.finish({ state: 'finished' });
  runs.close();
  return recorder.record.id;
}

/** Ops of four devices, of different lengths, one after another. */
function largeTrace(events: number): Uint8Array {
  const devices = Array.from({ length: 4 }, (_, index) => `${taskName('worker', index)}/device:CPU:0`);
  const node = (k: number) => {
    const [start, length] = [BigInt(k * 40), BigInt(10 + ((k * 7) % 60))];
    const micros = { allStartMicros: start, opStartRelMicros: 1n, opEndRelMicros: length, allEndRelMicros: length + 1n };
    return create(NodeExecStatsSchema, { nodeName: `layer_${k % 50}/MatMul_${k}`, timelineLabel: `MatMul_${k} = MatMul()`, ...micros });
  };
  const devStats = devices.map((device, index) => ({
    device,
    nodeStats: Array.from({ length: Math.floor(events / devices.length) }, (_, k) => node(k * devices.length + index)),
  }));
  return toBinary(RunMetadataSchema, create(RunMetadataSchema, { stepStats: { devStats } }));
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
