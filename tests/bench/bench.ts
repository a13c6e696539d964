import { writeFileSync } from 'node:fs';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { type BenchClient, typeScriptClient } from './client.ts';
import { type Engine, engines, interleave, type Measurement } from './measure.ts';
import { pythonClient } from './python-client.ts';
import { json, table } from './report.ts';
import { measureStartUp } from './start-up.ts';
import { type Workload, workloads } from './workloads.ts';

export interface BenchmarkOptions {
  /** Fewer rounds: enough to see whether everything works. */
  readonly quick: boolean;
  readonly resultFile: string;
}

type Clusters = Readonly<Record<Engine, Cluster>>;

export async function runBenchmark({ quick, resultFile }: BenchmarkOptions): Promise<void> {
  const rounds = quick ? 2 : 5;
  const measurements = await measureStartUp(rounds);
  const clusters = await startClusters();
  const clients = [typeScriptClient(), await pythonClient()];
  for (const workload of workloads) {
    for (const client of clients) measurements.push(await measureWorkload(workload, client, clusters, rounds));
    console.error(`measured: ${workload.title}`);
  }
  for (const { language } of clients) measurements.push(traceOverhead(measurements, language));
  for (const client of clients) await client.close();
  for (const engine of engines) await clusters[engine].stop();
  console.log(table(measurements));
  writeFileSync(resultFile, json(measurements));
}

async function startClusters(): Promise<Clusters> {
  const start = (engine: Engine): Promise<Cluster> => startCluster({ jobs: { canshu: 2, gongzuo: 2 }, engine });
  return { bundled: await start('bundled'), python: await start('python') };
}

async function measureWorkload(workload: Workload, client: BenchClient, clusters: Clusters, rounds: number): Promise<Measurement> {
  const { name, title, steps, figure, unit, better, goal } = workload;
  const values = await interleave(rounds, async (engine) =>
    figure(await client.run(clusters[engine].target('canshu', 0), name, steps), steps),
  );
  return { name: title, client: client.language, unit, better, goal, values };
}

/** How much longer a step of the regression takes when it is traced in full. */
function traceOverhead(measurements: readonly Measurement[], client: string): Measurement {
  const rates = (workload: string) => {
    const title = workloads.find(({ name }) => name === workload)?.title;
    const found = measurements.find((each) => each.name === title && each.client === client);
    if (!found) throw new Error(`${workload} was not measured`);
    return found.values;
  };
  const [plain, traced] = [rates('regression'), rates('traced')];
  const percent = (engine: Engine): number => (plain[engine] / traced[engine] - 1) * 100;
  const values = { bundled: percent('bundled'), python: percent('python') };
  return { name: 'full-trace overhead', client, unit: '%', better: 'less', goal: 0.5, values };
}
