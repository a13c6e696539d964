import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Outcome } from '../../../main/client/index.ts';
import { LocalCluster, type LocalClusterOptions } from '../../../main/cluster/local-cluster.ts';
import { type RunResult, runProgram } from '../../../main/program-host/run-program.ts';
import { programs } from '../../../main/programs/index.ts';
import { python, withTensorFlow } from '../../support/python.ts';

const entry = fileURLToPath(new URL('../../../dist/program-host/index.js', import.meta.url));
const LIMIT_MS = 120_000;

/** Programs for any server, genuine ones included, which have no pretended cards. */
const forAnyServer = programs.filter(({ cluster, virtualGpus }) => Object.keys(cluster).length > 0 && virtualGpus === undefined);

async function resultOf(sample: string, local: Omit<LocalClusterOptions, 'jobs'> = {}): Promise<RunResult> {
  return runProgram({ entry, source: { sample }, form: (wants) => LocalCluster.start({ ...wants, ...local }) });
}

async function outcomeOf(sample: string, local: Omit<LocalClusterOptions, 'jobs'> = {}): Promise<Outcome | undefined> {
  return (await resultOf(sample, local)).outcomes.get('client');
}

describe('on bundled tasks', () => {
  it.each(programs)('$name comes to its right result', { timeout: LIMIT_MS }, async ({ name }) => {
    expect((await resultOf(name)).problems).toEqual([]);
  });

  it('what is not pinned is shared by all masters, as it goes to the first task', { timeout: LIMIT_MS }, async () => {
    expect(await outcomeOf('shared-variable')).toMatchObject({ final: [1, 1] });
    expect(await outcomeOf('separate-graphs')).toMatchObject({ seen: '1' });
  });

  it('what is not pinned goes to the own task of each master with placement "local"', { timeout: LIMIT_MS }, async () => {
    const local = { placement: 'local' } as const;
    expect(await outcomeOf('shared-variable', local)).toMatchObject({ final: [1, 0] });
    expect(await outcomeOf('separate-graphs', local)).toMatchObject({ seen: 'no value' });
    expect((await resultOf('location-trace', local)).problems).toEqual([]);
  });
});

describe.skipIf(python === undefined)('on genuine TensorFlow tasks', () => {
  beforeAll(() => {
    process.env['LANFLOW_PYTHON'] ??= python;
  });

  it.each(forAnyServer)(withTensorFlow('$name comes to its right result'), { timeout: LIMIT_MS }, async ({ name }) => {
    expect((await resultOf(name, { engine: 'tensorflow' })).problems).toEqual([]);
  });
});
