import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalCluster } from '../../main/cluster/local-cluster.ts';
import { programs } from '../../main/programs/index.ts';
import { python, withTensorFlow } from '../support/python.ts';
import { otherGenuineSamples, resultOf, resultOn } from '../support/sample-result.ts';

describe('on one cluster with more jobs, tasks and cards than any of them wants', () => {
  let cluster: LocalCluster;
  beforeAll(async () => {
    const jobs = { A: 1, canshu: 3, gongzuo: 4, local: 3, machine: 4, ps: 2, worker: 5 };
    cluster = await LocalCluster.start({ jobs, virtualGpus: 2 });
  });
  afterAll(() => cluster.stop());

  it.each(programs)('$name comes to its right result', async ({ name }) => {
    expect((await resultOn(cluster, name)).problems).toEqual([]);
  });
});

describe.skipIf(python === undefined)('on genuine TensorFlow tasks', () => {
  beforeAll(() => {
    process.env['LANFLOW_PYTHON'] ??= python;
  });

  it.each(otherGenuineSamples)(withTensorFlow('$name comes to its right result'), async ({ name }) => {
    expect((await resultOf(name, { engine: 'tensorflow' })).problems).toEqual([]);
  });
});
