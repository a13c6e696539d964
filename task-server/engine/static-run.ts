import { isDerived, type StatusError, toStatusError } from '#proto/wire/status.ts';
import { DataflowState } from './dataflow-state.ts';
import type { Device } from './device.ts';
import { DEAD, type Output } from './kernel.ts';
import { NodeContext } from './node-context.ts';
import { attachNode } from './node-error.ts';
import { outputProblem } from './output-check.ts';
import type { Schedule, ScheduledNode } from './schedule.ts';
import type { DeviceCollector, NodeCollector, StepContext } from './step.ts';

/** How long the executor keeps the thread before it lets others have it. */
const SLICE_MS = 4;

export interface RunEnv {
  readonly device: Device;
  /** Calls back once the process has looked after its other events (`setImmediate`). */
  readonly yieldToEvents: (resume: () => void) => void;
}

/** One execution of a schedule. */
export class StaticRun {
  readonly #env: RunEnv;
  readonly #step: StepContext;
  readonly #state: DataflowState;
  /** Made when a kernel asks for its signal: most have no use for it. */
  #cancellation: AbortController | undefined;
  readonly #context: NodeContext;
  readonly #deadContext: NodeContext;
  readonly #collector: DeviceCollector | undefined;
  /** Kernels whose promise is open. */
  #running = 0;
  #isYielding = false;
  #error: StatusError | undefined;
  #settle: (() => void) | undefined;

  constructor(schedule: Schedule, env: RunEnv, step: StepContext) {
    this.#env = env;
    this.#step = step;
    const signal = () => this.#signal();
    this.#context = new NodeContext(step, env.device, signal, false);
    this.#deadContext = new NodeContext(step, env.device, signal, true);
    const collector = step.collector?.device(env.device.name);
    this.#collector = collector;
    this.#state = new DataflowState(schedule, collector && (() => collector.now()));
  }

  async run(): Promise<void> {
    const { signal } = this.#step;
    const cancel = () => this.#fail(toStatusError(signal.reason));
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    await new Promise<void>((resolve) => {
      this.#settle = resolve;
      this.#drain();
    });
    signal.removeEventListener('abort', cancel);
    if (this.#error) throw this.#error;
  }

  #signal(): AbortSignal {
    this.#cancellation ??= new AbortController();
    if (this.#error) this.#cancellation.abort(this.#error);
    return this.#cancellation.signal;
  }

  /** Starts ready nodes until there are none, the step has failed, or the thread's time is up. */
  #drain(): void {
    const sliceEnd = performance.now() + SLICE_MS;
    while (!this.#error) {
      const scheduled = this.#state.next();
      if (!scheduled) break;
      this.#start(scheduled);
      if (performance.now() >= sliceEnd) {
        this.#pause();
        return;
      }
    }
    if (this.#running === 0) this.#settle?.();
  }

  #pause(): void {
    this.#isYielding = true;
    this.#env.yieldToEvents(() => {
      this.#isYielding = false;
      this.#drain();
    });
  }

  #start(scheduled: ScheduledNode): void {
    const isDead = this.#state.isDead(scheduled);
    if (isDead && !scheduled.runsOnDeadInputs) {
      this.#state.dropInputs(scheduled);
      this.#state.propagate(scheduled, DEAD);
      return;
    }
    const trace = isDead ? undefined : this.#collector?.begin(scheduled.node, this.#state.readyAt(scheduled));
    try {
      const inputs = this.#state.takeInputs(scheduled);
      trace?.opStart(inputs);
      const result = scheduled.compute(isDead ? this.#deadContext : this.#context, inputs);
      if (result instanceof Promise) void this.#finish(scheduled, result, trace);
      else this.#complete(scheduled, result, trace);
    } catch (error) {
      this.#fail(attachNode(error, scheduled.node));
    }
  }

  async #finish(scheduled: ScheduledNode, result: Promise<readonly Output[]>, trace: NodeCollector | undefined): Promise<void> {
    this.#running++;
    try {
      this.#complete(scheduled, await result, trace);
    } catch (error) {
      this.#fail(attachNode(error, scheduled.node));
    }
    this.#running--;
    if (!this.#isYielding) this.#drain();
  }

  #complete(scheduled: ScheduledNode, outputs: readonly Output[], trace: NodeCollector | undefined): void {
    trace?.opEnd(outputs);
    const problem = outputProblem(scheduled.node, outputs);
    if (problem) {
      this.#fail(problem);
      return;
    }
    this.#state.propagate(scheduled, outputs);
    trace?.end();
  }

  /** The first error ends the run; one that only follows from something else gives way to a root cause. */
  #fail(error: StatusError): void {
    if (this.#error) {
      if (isDerived(this.#error) && !isDerived(error)) this.#error = error;
      return;
    }
    this.#error = error;
    this.#step.rendezvous.abort(error);
    this.#cancellation?.abort(error);
  }
}
