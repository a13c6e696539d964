import { pathToFileURL } from 'node:url';
import { bundlePath } from '../../program-host/bundles.ts';

export const TASK_SUMMARY = 'start one task server in the foreground';

interface TaskBundle {
  main(args: readonly string[]): Promise<number>;
}

/** One task, in this process: the command line starts the task server's bundle and gets out of the way. */
export async function runTask(args: readonly string[]): Promise<number> {
  const bundle: TaskBundle = await import(pathToFileURL(bundlePath('task-server/index.js')).href);
  return bundle.main(args);
}
