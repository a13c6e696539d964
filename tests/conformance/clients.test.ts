import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstDifference } from '../support/cluster-compare.ts';
import { type ClusterKind, clusterKinds, judge } from '../support/cluster-kinds.ts';
import { python, withTensorFlow } from '../support/python.ts';
import { type CaseRun, pythonCaseNames, runPythonCases } from '../support/python-cases.ts';

const names = pythonCaseNames();

describe.skipIf(python === undefined)(withTensorFlow('programs of clients'), () => {
  const runs = new Map<ClusterKind, CaseRun>();
  const run = (kind: ClusterKind): CaseRun => {
    const found = runs.get(kind);
    if (!found) throw new Error(`No run on ${kind}`);
    return found;
  };

  // All at once: most of the time goes by in waiting for timeouts and starting processes.
  beforeAll(() => {
    for (const kind of clusterKinds) runs.set(kind, runPythonCases(kind));
  });
  afterAll(async () => {
    await Promise.all([...runs.values()].map((each) => each.stop()));
  });

  for (const kind of clusterKinds) {
    describe(`Python on ${kind}`, () => {
      it.each(names)('%s', async (name) => {
        const outcome = await run(kind).outcome(name);
        expect(outcome.failure).toBeUndefined();
        if (kind === judge) return;
        const expected = await run(judge).outcome(name);
        expect(firstDifference(outcome.result, expected.result, outcome.tolerance)).toBeUndefined();
      });
    });
  }
});
