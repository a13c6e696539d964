import { describe, expect, it } from 'vitest';
import type { ClusterInput } from '../../../../main/client/index.ts';
import { checkFit } from '../../../../main/program-host/cluster-fit.ts';

const HERE = '127.0.0.1:1';

function check(wanted: Readonly<Record<string, number>>, present: ClusterInput): Promise<void> {
  return checkFit({ name: 'lesson', cluster: wanted, virtualGpus: 0 }, present);
}

describe('a program fits a cluster', () => {
  it.each<[string, Readonly<Record<string, number>>, ClusterInput]>([
    ['with just the tasks that it wants', { ps: 1, worker: 2 }, { ps: [HERE], worker: [HERE, HERE] }],
    ['with more tasks and jobs', { ps: 1, worker: 2 }, { A: [HERE], ps: [HERE, HERE], worker: [HERE, HERE, HERE] }],
    ['with those among others of a sparse job', { worker: 2 }, { worker: { 0: HERE, 1: HERE, 7: HERE } }],
    ['when it wants none', {}, { A: [HERE] }],
  ])('%s', async (_, wanted, present) => {
    await expect(check(wanted, present)).resolves.toBeUndefined();
  });

  it.each<[string, Readonly<Record<string, number>>, ClusterInput]>([
    ['but the cluster has no job ps; its jobs are canshu and gongzuo', { ps: 1 }, { canshu: [HERE], gongzuo: [HERE] }],
    ["but the cluster's only worker task is 0", { worker: 2 }, { worker: [HERE] }],
    ["but the cluster's worker tasks are 0 and 2", { worker: 2 }, { worker: { 0: HERE, 2: HERE } }],
    ['but the cluster is empty', { worker: 1 }, {}],
  ])('not, %s', async (reason, wanted, present) => {
    const message = `'lesson' wants ${Object.keys(wanted)}×${Object.values(wanted)}, ${reason}. Choose another cluster, or none, and one is formed for the run`;
    await expect(check(wanted, present)).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT', message });
  });

  it('not, whatever number of tasks a program dreams of', async () => {
    await expect(check({ worker: 1e12 }, { worker: [HERE] })).rejects.toThrow("'lesson' wants worker×1000000000000");
  });
});
