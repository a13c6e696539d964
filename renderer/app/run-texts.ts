import type { Text } from '../locales/i18n.svelte.ts';
import type { Misfit } from '../stores/run-clusters.ts';
import type { FeedProblem } from '../stores/run-feed.ts';

/** Why a program cannot run on a cluster, in words. */
export function misfitText(text: Text, misfit: Misfit): string {
  if (misfit.kind === 'stopped') return text('plan.clusterStopped');
  if (misfit.kind === 'cards') return text('plan.clusterCards', { job: misfit.job, count: misfit.wanted });
  const { job, wanted, present } = misfit;
  return present === 0 ? text('plan.clusterJob', { job }) : text('plan.clusterTasks', { job, wanted, present });
}

/** What is wrong with a feed, in words. */
export function feedText(text: Text, problem: FeedProblem): string {
  if (problem.kind === 'noJson') return text('plan.feedNoJson', { reason: problem.reason });
  if (problem.kind === 'ragged') return text('plan.feedRagged');
  const { wanted, got } = problem;
  return problem.kind === 'shape' ? text('plan.feedShape', { wanted, got }) : text('plan.feedElement', { wanted, got });
}
