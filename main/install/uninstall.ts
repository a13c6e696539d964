import type { WorkEnv } from './install.ts';
import type { Removed } from './remote/steps.ts';
import type { Workplace } from './workplace.ts';

export interface Uninstalled extends Removed {
  readonly wasInstalled: boolean;
}

/**
 * Ends the agent and its tasks and leaves nothing of the installation. Rejects with a StatusError that says the way out, or with the
 * signal's reason. Once it removes it goes on to the end: half of an agent is of no use to anybody.
 */
export async function uninstall({ steps }: Workplace, { signal, onProgress }: WorkEnv): Promise<Uninstalled> {
  onProgress({ stage: 'probing' });
  if (!(await steps.probe(signal)).isInstalled) return { wasInstalled: false, machine: '', hasOthers: false };
  const lock = await steps.takeLock({
    signal,
    onWait: () => onProgress({ stage: 'probing', message: 'another Lanflow installs there' }),
  });
  try {
    onProgress({ stage: 'removing' });
    return { wasInstalled: true, ...(await steps.removeAll()) };
  } finally {
    await lock.release();
  }
}
