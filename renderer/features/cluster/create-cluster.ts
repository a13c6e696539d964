import type { App } from '../../stores/app.ts';
import type { Draft } from './draft.ts';

/** Keeps a new cluster and shows it. */
export async function createCluster(app: App, draft: Draft): Promise<void> {
  await app.toasts.guard(async () => {
    const { id } = await app.core.call('clusters.save', draft);
    await app.clusters.load();
    app.router.go('cluster', id);
  });
}
