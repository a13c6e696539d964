import { Session } from '../../../main/client/index.ts';
import { ClusterControl } from '../../support/cluster-control.ts';
import { type ClusterKind, standardJobs } from '../../support/cluster-kinds.ts';
import type { CaseOutcome, CaseRun } from '../../support/python-cases.ts';
import { executionCases } from './execution.ts';
import { failureCases } from './failure.ts';
import { CaseCluster, type Cases, plain } from './harness.ts';
import { placementCases } from './placement.ts';
import { sessionCases } from './sessions.ts';
import { traceCases } from './traces.ts';
import { variableCases } from './variables.ts';

export const typeScriptCases: Cases = {
  ...executionCases,
  ...failureCases,
  ...placementCases,
  ...sessionCases,
  ...traceCases,
  ...variableCases,
};

/** Runs every case, one after the other, on a cluster of the kind, once `start` resolves. */
export function runTypeScriptCases(kind: ClusterKind, start: Promise<void>): CaseRun {
  const control = new ClusterControl(kind);
  const outcomes = new Map<string, Promise<CaseOutcome>>();
  const starting = start.then(() => control.start({ jobs: standardJobs })).then((description) => new CaseCluster(control, description));
  let previous: Promise<unknown> = Promise.resolve();
  let stopped = false;
  for (const [name, run] of Object.entries(typeScriptCases)) {
    const outcome = previous.then(async () => (stopped ? { failure: 'stopped before' } : attempt(run, await starting)));
    outcomes.set(name, outcome);
    previous = outcome.catch(() => {}); // Whoever asks for the outcome sees why the cluster did not start.
  }
  return {
    async outcome(name) {
      const outcome = await outcomes.get(name);
      if (!outcome) throw new Error(`No case "${name}"`);
      return outcome;
    },
    finished: previous.then(() => {}),
    async stop() {
      stopped = true;
      await previous;
      await control.stopAll();
    },
  };
}

async function attempt(run: Cases[string], cluster: CaseCluster): Promise<CaseOutcome> {
  try {
    return { result: plain(await run(cluster)) };
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    await cluster.closeSessions();
    // No case sees the variables of another. A cluster that is beyond that shows it in the next case.
    await Session.reset(cluster.target(), [], { operationTimeoutMs: 30_000 }).catch(() => {});
  }
}
