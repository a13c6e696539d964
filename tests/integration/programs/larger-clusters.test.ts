import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalCluster } from '../../../main/cluster/local-cluster.ts';
import { resultOn } from '../../support/sample-result.ts';

interface Larger {
  readonly jobs: Readonly<Record<string, number>>;
  readonly virtualGpus: number;
  readonly samples: readonly string[];
}

/** A job that comes before those which the samples want, more tasks of these, cards: and samples which could notice. The long tier has all. */
const clusters: readonly Larger[] = [
  { jobs: { A: 1, ps: 2, worker: 5 }, virtualGpus: 0, samples: ['ps-workers', 'mixed-replication', 'abc-workers-d-ps'] },
  {
    ...{ jobs: { A: 1, local: 3 }, virtualGpus: 2 },
    samples: ['shared-variable', 'location-trace', 'separate-graphs', 'wait-for-initialization', 'single-machine-multi-card'],
  },
];

describe.each(clusters)('on $jobs with $virtualGpus cards', ({ jobs, virtualGpus, samples }) => {
  let cluster: LocalCluster;
  beforeAll(async () => {
    cluster = await LocalCluster.start({ jobs, virtualGpus });
  });
  afterAll(() => cluster.stop());

  it.each(samples)('%s comes to its right result', async (sample) => {
    expect((await resultOn(cluster, sample)).problems).toEqual([]);
  });
});

it('a sample says before it starts that the cluster has not the cards which it wants', async () => {
  const cluster = await LocalCluster.start({ jobs: { local: 1 } });
  try {
    await expect(resultOn(cluster, 'gradient-averaging')).rejects.toMatchObject({
      codeName: 'INVALID_ARGUMENT',
      message: expect.stringContaining('wants local×1 with 2 GPUs each, but /job:local/replica:0/task:0 has no GPU. Choose'),
    });
  } finally {
    await cluster.stop();
  }
});
