import type { ClusterTask } from './cluster-spec.ts';
import type { Probe } from './probe.ts';

/** What a session waits for. */
export interface WaitReport {
  /** `/job:worker/replica:0/task:1`, where it is known. */
  readonly task?: string;
  /** `host:port` */
  readonly address: string;
  readonly reason: string;
  /** How long the call has been waiting. */
  readonly sinceMs: number;
}

export type OnWait = (report: WaitReport) => void;

export interface WaitWatchEnv {
  /** The master. */
  readonly address: string;
  /** Every task that the master itself may be waiting for. */
  readonly tasks: readonly ClusterTask[];
  readonly onWait: OnWait;
  readonly probe: Probe;
}

const FIRST_MS = 1500;
const EVERY_MS = 5000;

/**
 * Explains a wait: when `call` takes longer than 1.5 s it looks for what is missing, tells `onWait` (within 5 s of the start)
 * and looks again every 5 s. Settles as `call` does.
 */
export async function explainWait<T>(what: string, call: Promise<T>, env: WaitWatchEnv): Promise<T> {
  const stop = new AbortController();
  const started = Date.now();
  const look = async (): Promise<void> => {
    const missing = await findMissing(env, stop.signal);
    if (stop.signal.aborted) return;
    const sinceMs = Date.now() - started;
    for (const { reason, ...place } of missing ?? [busy(what, env)]) env.onWait({ ...place, reason, sinceMs });
    timer = setTimeout(look, EVERY_MS);
  };
  let timer = setTimeout(look, FIRST_MS);
  try {
    return await call;
  } finally {
    stop.abort();
    clearTimeout(timer);
  }
}

type Missing = Omit<WaitReport, 'sinceMs'>;

/** The master if it does not answer, else those of the other tasks that do not; undefined when all do. */
async function findMissing({ address, tasks, probe }: WaitWatchEnv, signal: AbortSignal): Promise<Missing[] | undefined> {
  const masterTask = tasks.find((task) => task.address === address);
  const reason = await probe(address, signal);
  if (reason !== undefined) return [{ address, reason, ...(masterTask && { task: masterTask.name }) }];
  const others = await Promise.all(
    tasks
      .filter((task) => task !== masterTask)
      .map(async (task) => ({ task: task.name, address: task.address, reason: await probe(task.address, signal) })),
  );
  const missing = others.filter((other): other is typeof other & { reason: string } => other.reason !== undefined);
  return missing.length > 0 ? missing : undefined;
}

function busy(what: string, { address, tasks }: WaitWatchEnv): Missing {
  const task = tasks.find((each) => each.address === address)?.name;
  const reason =
    tasks.length > 0
      ? `${what} is running: all ${tasks.length} tasks of the cluster answer`
      : `${what} is running: the task answers; give the session its cluster to see whether others are missing`;
  return { address, reason, ...(task && { task }) };
}
