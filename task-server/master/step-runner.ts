import { cancelled, internal, isDerived, type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { RunGraphCall, RunGraphResult } from '../worker/worker-interface.ts';
import type { CallTimes } from './call-times.ts';
import type { ClientGraph, Partition } from './client-graph.ts';
import type { After } from './master-env.ts';
import type { NamedTensor } from './master-interface.ts';
import { type Failure, rootFailure } from './step-error.ts';

/**
 * Time that the partitions have to hear of a failure from each other. What ends by itself need not be cancelled, and an
 * HTTP/2 server hangs up on a peer that cancels more than some dozens of calls a second.
 */
const ENDING_MS = 20;
/** Time that a root cause has to arrive after a consequence of it did, before the rest of the step is cancelled. */
const ROOT_CAUSE_GRACE_MS = 1000;

export interface Step {
  readonly id: bigint;
  readonly sessionHandle: string;
  readonly feeds: readonly NamedTensor[];
  readonly recordTimeline: boolean;
  /** Hears of the calls to other tasks; only when the timeline is recorded. */
  readonly callTimes: CallTimes | undefined;
  readonly recordPartitionGraphs: boolean;
  /** Tasks push values to each other, and tell themselves what they have received when the timeline is recorded. */
  readonly pushTensors: boolean;
  /** Aborted, with a StatusError as the reason, when the client or the session ends the step. */
  readonly cancellation: AbortController;
  readonly newRequestId: () => bigint;
  readonly after: After;
}

/**
 * Runs one step on all partitions of its graph at once. Settles when all of them have: with their results in the order of
 * the partitions, or with the root cause of the failure. A root cause cancels the other partitions at once.
 */
export async function runPartitions(graph: ClientGraph, step: Step): Promise<readonly RunGraphResult[]> {
  const [only, ...others] = graph.partitions;
  if (!only) throw internal('A step without partitions');
  if (others.length === 0) return [await runAlone(only, graph, step)];
  return new ParallelRun(graph, step).run();
}

/** The common small step, with nothing in its way. */
async function runAlone(partition: Partition, graph: ClientGraph, step: Step): Promise<RunGraphResult> {
  const { cancellation } = step;
  try {
    return await partition.worker.runGraph(callFor(partition, graph, step), { signal: cancellation.signal });
  } catch (thrown) {
    throw stepError([{ task: partition.worker.task, error: toStatusError(thrown) }], cancellation.signal);
  }
}

class ParallelRun {
  readonly #graph: ClientGraph;
  readonly #step: Step;
  readonly #failures: Failure[] = [];
  /** Ends the other partitions when one has failed. */
  readonly #peers = new AbortController();
  #stopGrace: (() => void) | undefined;
  #hasRootCause = false;

  constructor(graph: ClientGraph, step: Step) {
    this.#graph = graph;
    this.#step = step;
  }

  async run(): Promise<RunGraphResult[]> {
    const { signal } = this.#step.cancellation;
    const cancel = () => this.#peers.abort(signal.reason);
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    const results = await Promise.all(this.#graph.partitions.map((partition) => this.#runOne(partition)));
    signal.removeEventListener('abort', cancel);
    this.#stopGrace?.();
    if (this.#failures.length > 0) throw stepError(this.#failures, signal);
    return results.filter((result) => result !== undefined);
  }

  async #runOne(partition: Partition): Promise<RunGraphResult | undefined> {
    const { worker } = partition;
    try {
      const call = callFor(partition, this.#graph, this.#step);
      const answered = worker.isLocal ? undefined : this.#step.callTimes?.begin(worker.task);
      const result = await worker.runGraph(call, { signal: this.#peers.signal });
      answered?.();
      return result;
    } catch (thrown) {
      this.#fail({ task: worker.task, error: toStatusError(thrown) });
      return undefined;
    }
  }

  #fail(failure: Failure): void {
    this.#failures.push(failure);
    const isRootCause = !isDerived(failure.error);
    if (this.#hasRootCause || (this.#stopGrace && !isRootCause)) return;
    this.#hasRootCause = isRootCause;
    this.#stopGrace?.();
    this.#stopGrace = this.#step.after(isRootCause ? ENDING_MS : ROOT_CAUSE_GRACE_MS, () => {
      this.#peers.abort(cancelled(`Step ${this.#step.id} failed on ${failure.task}`, { derived: true }));
    });
  }
}

/** A cancelled step reports who cancelled it, unless it had failed by itself before. */
function stepError(failures: readonly Failure[], signal: AbortSignal): StatusError {
  const root = rootFailure(failures) ?? internal('A step failed without an error');
  return signal.aborted && isDerived(root) ? toStatusError(signal.reason) : root;
}

function callFor({ worker, graphHandle, isClient }: Partition, graph: ClientGraph, step: Step): RunGraphCall {
  return {
    sessionHandle: step.sessionHandle,
    createWorkerSessionCalled: true,
    graphHandle,
    stepId: step.id,
    send: isClient ? step.feeds.map(({ name, tensor }) => ({ key: graph.feedKeys.get(name) ?? name, tensor })) : [],
    recvKeys: isClient ? graph.recvKeys : [],
    recordTimeline: step.recordTimeline,
    recordPartitionGraphs: step.recordPartitionGraphs,
    pushTensors: step.pushTensors,
    requestId: worker.isLocal ? 0n : step.newRequestId(),
  };
}
