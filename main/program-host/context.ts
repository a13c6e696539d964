import { setTimeout as delay } from 'node:timers/promises';
import { toBinary } from '@bufbuild/protobuf';
import { RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { taskName } from '#proto/wire/device-name.ts';
import { StatusError } from '#proto/wire/status.ts';
import { type ClusterInput, ClusterSpec, type Graph, type ProgramContext, type SessionOptions, type WaitReport } from '../client/index.ts';
import { type ControlEnv, ControlledSession } from './controlled-session.ts';
import { withChosenDevice } from './failed-node.ts';
import type { ClientEvent, ClientOrders, Steer } from './protocol.ts';
import { SentGraphs } from './sent-graphs.ts';
import { StepControl } from './step-control.ts';
import { lossText } from './task-loss.ts';
import { waitText } from './wait-text.ts';

export interface ClientEnv {
  readonly cluster: ClusterInput;
  readonly orders: ClientOrders;
  readonly tell: (event: ClientEvent) => void;
  readonly signal: AbortSignal;
}

/** How long a session may take to close when a client ends; its task may be gone. */
const CLOSE_MS = 2000;

/** One client of a program while it runs: its context, whose sessions are its own, and the hand of its user on them. */
export class HostedClient {
  readonly context: ProgramContext;
  readonly cluster: ClusterSpec;
  readonly orders: ClientOrders;
  readonly control: StepControl;
  readonly #env: ClientEnv;
  readonly #graphs: SentGraphs;
  readonly #sessions = new Set<ControlledSession>();
  /** What waits for variables to be initialized again. */
  readonly #held = new Set<() => void>();
  /** The last step that has failed. */
  #failed: { readonly error: unknown; readonly session: ControlledSession } | undefined;
  #privateTasks = 0;

  /** Throws INVALID_ARGUMENT for a plan that cannot be followed. */
  constructor(env: ClientEnv) {
    const { tell, signal, orders } = env;
    this.#env = env;
    this.orders = orders;
    this.cluster = new ClusterSpec(env.cluster);
    this.#graphs = new SentGraphs(tell);
    this.control = new StepControl(orders, tell, signal);
    const { cluster, control } = this;
    this.context = {
      cluster,
      signal,
      target: (job, index) => cluster.target(job, index),
      session: (graph, job, index, options) => this.session(cluster.target(job, index), taskName(job, index), { ...options, graph }),
      localSession: (graph, options) => this.localSession(graph, options?.virtualGpus),
      log: (text) => tell({ kind: 'log', text }),
      sample: (series: string, ...[first, second]: readonly [number, number?]) => {
        const [step, value] = second === undefined ? [control.steps, first] : [first, second];
        tell({ kind: 'sample', series, step, value });
      },
      trace: (name, metadata) => tell({ kind: 'trace', name, metadata: toBinary(RunMetadataSchema, metadata) }),
      sleep: async (milliseconds) => {
        await delay(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
      },
    };
  }

  session(target: string | undefined, place: string, options: SessionOptions): ControlledSession {
    const { tell, orders } = this.#env;
    const onWait = (report: WaitReport): void => tell({ kind: 'wait', text: waitText(report) });
    const { operationTimeoutMs } = orders;
    const defaults = {
      ...(target !== undefined && { onWait, cluster: this.cluster }),
      ...(operationTimeoutMs !== undefined && { operationTimeoutMs }),
    };
    const onClose = (): void => void this.#sessions.delete(session);
    const onFailed: ControlEnv['onFailed'] = (error, session) => {
      this.#failed = { error, session };
    };
    const env: ControlEnv = { control: this.control, pins: orders.pins, graphs: this.#graphs, tell, place, onClose, onFailed };
    const session = new ControlledSession(target, { ...defaults, ...options }, env);
    this.#sessions.add(session);
    return session;
  }

  localSession(graph: Graph, virtualGpus = 0): ControlledSession {
    const flags = virtualGpus > 0 ? ['--virtual-devices', `GPU=${virtualGpus}`] : [];
    return this.session(undefined, `private task ${++this.#privateTasks}`, { graph, localTask: { flags } });
  }

  /** Something about the run itself. */
  notice(text: string): void {
    this.#env.tell({ kind: 'notice', text });
  }

  steer(steer: Steer): void {
    this.control.steer(steer);
  }

  /**
   * Gives the variables of all sessions their initial values, but for those in `done`. Returns which. A session that has failed is
   * passed over; rejects with its error when no other one could do it.
   */
  async reinitialize(done: readonly string[]): Promise<readonly string[]> {
    const all = new Set(done);
    const errors: unknown[] = [];
    for (const session of this.#sessions) {
      try {
        for (const key of await session.reinitialize(all)) all.add(key);
      } catch (error) {
        errors.push(error);
      }
    }
    if (all.size === done.length && errors.length > 0) throw errors[0];
    this.control.watcher.beginLife();
    for (const goOn of this.#held) goOn();
    this.#held.clear();
    return [...all].slice(done.length);
  }

  /** Resolves when the variables have been initialized again, after a task was lost. Rejects when the run is stopped. */
  async untilReinitialized(loss: StatusError): Promise<void> {
    const { tell, signal } = this.#env;
    tell({ kind: 'wait', text: `${lossText(loss)}. The run goes on when the task is back and the variables are initialized again` });
    await new Promise<void>((resolve, reject) => {
      signal.throwIfAborted();
      const stop = (): void => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      this.#held.add(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
    });
  }

  /** The error with which the program has failed, as exactly as it can be told while its sessions are open. */
  async explain(error: unknown): Promise<unknown> {
    const failed = this.#failed;
    if (failed === undefined || failed.error !== error || !(error instanceof StatusError) || this.#env.signal.aborted) return error;
    return withChosenDevice(error, (node) => failed.session.chosenDevice(node));
  }

  /** Ends all sessions, and tells what has not been told yet. */
  async close(): Promise<void> {
    const { tell } = this.#env;
    await this.control.close();
    this.#graphs.flush();
    const results = await Promise.allSettled([...this.#sessions].map((session) => session.close({ timeoutMs: CLOSE_MS })));
    for (const result of results) if (result.status === 'rejected') tell({ kind: 'log', text: `Closing a session: ${result.reason}` });
  }
}
