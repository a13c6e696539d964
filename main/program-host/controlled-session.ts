import { toBinary } from '@bufbuild/protobuf';
import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import { RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import type { Pins } from '#proto/ipc/contract.ts';
import { deadlineExceeded, StatusError } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import {
  type DeviceInfo,
  type Fetched,
  type Fetches,
  type GraphBuilder,
  type Node,
  type Output,
  type PlacementConfig,
  placeGraph,
  type RunMetadata,
  type RunOptions,
  Session,
  type SessionOptions,
  TraceLevel,
} from '../client/index.ts';
import { readFeeds } from '../client/session/feeds.ts';
import { planFetches } from '../client/session/fetches.ts';
import type { CloseOptions, RunResult } from '../client/session/session.ts';
import { withPlace } from './failed-node.ts';
import { findInitializers } from './initializers.ts';
import { applyPins, pinnedDevices } from './pins.ts';
import { placementConfig } from './placement/placement-config.ts';
import type { ClientEvent } from './protocol.ts';
import type { SentGraphs } from './sent-graphs.ts';
import type { StepControl } from './step-control.ts';
import { isTaskLoss } from './task-loss.ts';

export interface ControlEnv {
  readonly control: StepControl;
  readonly pins: Pins;
  readonly graphs: SentGraphs;
  readonly tell: (event: ClientEvent) => void;
  /** Which task is its master: `/job:worker/task:0`; a name of its own for a private task. */
  readonly place: string;
  readonly onClose: () => void;
  /** A step has failed. */
  readonly onFailed: (error: unknown, session: ControlledSession) => void;
}

/** A read of the watcher is given up after this time, in milliseconds, so that it never holds up the end of a client. */
const READ_LIMIT_MS = 2000;
/** How long a lost task is waited for when variables are to be initialized again. */
const RETURN_LIMIT_MS = 15_000;

/**
 * A session of a program whose steps are held, paced, counted and traced as its user wants, with its nodes where the pins want
 * them. The program itself notices nothing but the time.
 */
export class ControlledSession extends Session {
  readonly graph: GraphBuilder;
  readonly #env: ControlEnv;
  readonly #target: string | undefined;
  readonly #config: PlacementConfig;
  readonly #connect: () => Session;
  /** What the steps run on; another one after a task was lost. */
  #inner: Session;
  #devices: ReadonlyMap<string, string> = new Map();
  #hasSent = false;

  constructor(target: string | undefined, options: SessionOptions, env: ControlEnv) {
    // Never used as a session itself: it only is one to the program.
    super(target, options);
    this.#target = target;
    this.graph = options.graph;
    this.#env = env;
    this.#config = placementConfig(options);
    this.#connect = () => new Session(target, { ...options, rewriteGraph: (part) => this.#send(part) });
    this.#inner = this.#connect();
  }

  override run<const F extends Fetches>(fetches: F, options: RunOptions = {}): Promise<Fetched<F>> {
    // `Fetched` is the type of what a plan puts together, which TypeScript cannot follow.
    return this.#value(fetches, options) as Promise<Fetched<F>>;
  }

  override async runWithMetadata<const F extends Fetches>(fetches: F, options: RunOptions = {}): Promise<RunResult<Fetched<F>>> {
    return (await this.#step(fetches, options)) as RunResult<Fetched<F>>;
  }

  /** Reads tensors by a step that is none of the program's. */
  async read(tensors: readonly Output[]): Promise<readonly Tensor[]> {
    return this.#inner.run([...tensors], { timeoutMs: READ_LIMIT_MS });
  }

  /** Runs nodes that are none of the program's steps. */
  async runAside(nodes: readonly (Node | Output)[], options: RunOptions = {}): Promise<void> {
    try {
      await this.#inner.run([...nodes], options);
    } catch (error) {
      throw this.#located(error);
    }
  }

  /**
   * Gives all variables their initial values, but for those that `done` has. Returns the others, each with its place. A session that a
   * lost task has made useless is replaced first.
   */
  async reinitialize(done: ReadonlySet<string>): Promise<readonly string[]> {
    if (!this.#hasSent) return [];
    const wanted = findInitializers(this.graph).map(({ variable, initializer }) => ({ key: this.#placeOf(variable), initializer }));
    const open = wanted.filter(({ key }) => !done.has(key));
    const initializers = open.map(({ initializer }) => initializer);
    try {
      await this.runAside(initializers, { timeoutMs: RETURN_LIMIT_MS });
    } catch (error) {
      if (!isTaskLoss(error)) throw error;
      await this.#reconnect();
      await this.runAside(initializers);
    }
    return open.map(({ key }) => key);
  }

  override listDevices(options?: { signal?: AbortSignal }): Promise<DeviceInfo[]> {
    return this.#inner.listDevices(options);
  }

  override async close(options?: CloseOptions): Promise<void> {
    this.#env.control.watcher.leave(this);
    this.#env.onClose();
    await this.#inner.close(options);
  }

  /** Rejects with DEADLINE_EXCEEDED when a task does not come back. */
  async #reconnect(): Promise<void> {
    const lost = this.#inner;
    this.#inner = this.#connect();
    // Its tasks have forgotten it, or are gone.
    void lost.close({ timeoutMs: RETURN_LIMIT_MS }).catch(() => undefined);
    const limit = AbortSignal.timeout(RETURN_LIMIT_MS);
    try {
      await this.#inner.listDevices({ signal: limit });
    } catch (error) {
      if (!limit.aborted) throw error;
      const seconds = RETURN_LIMIT_MS / 1000;
      throw deadlineExceeded(`A task of the session with ${this.#env.place} has not come back within ${seconds} s; restart it`, {
        cause: error,
      });
    }
  }

  /** With `await`, the stack of an error leads back to the program's own line. */
  async #value(fetches: Fetches, options: RunOptions): Promise<unknown> {
    return (await this.#step(fetches, options)).value;
  }

  async #step(fetches: Fetches, options: RunOptions): Promise<RunResult<unknown>> {
    const { control } = this.#env;
    // What is wrong with the call is said at once, and is no step.
    const plan = planFetches(this.graph, fetches);
    const fed = readFeeds(this.graph, options.feeds ?? []);
    const step = await control.begin(options.signal);
    try {
      const along = control.watcher.alongWith(this, plan, new Set(fed.keys()));
      const traced = step.isTraced && !options.options?.traceLevel;
      const wanted = traced ? { ...options.options, traceLevel: TraceLevel.FULL_TRACE } : options.options;
      const { value, metadata } = await this.#inner.runWithMetadata(
        { tensors: plan.tensors, along, nodes: plan.targets },
        { ...options, feeds: fed, ...(wanted && { options: wanted }) },
      );
      step.finish();
      if (step.isTraced) this.#tellTrace(step.number, metadata);
      if (along.length > 0) control.watcher.take(along, value.along);
      control.watcher.stepped(this);
      const values = new Map(
        plan.tensors.flatMap((tensor, i): [Output, Tensor][] => (value.tensors[i] ? [[tensor, value.tensors[i]]] : [])),
      );
      return { value: plan.assemble(values), metadata: traced ? withoutStats(metadata) : metadata };
    } catch (error) {
      step.fail();
      throw this.#located(error);
    }
  }

  /** Where the master has put a node; undefined when it cannot tell: one of genuine TensorFlow, or one that is gone. */
  async chosenDevice(node: string): Promise<string | undefined> {
    if (this.#target === undefined) return undefined;
    try {
      const graph = applyPins(this.graph.toDef(), this.#env.pins);
      return (await placeGraph(this.#target, graph, { ...this.#config, timeoutMs: READ_LIMIT_MS })).devices.get(node);
    } catch (error) {
      if (error instanceof StatusError) return undefined;
      throw error;
    }
  }

  #located(error: unknown): unknown {
    const located = this.#hasSent ? withPlace(error, { graph: this.graph, devices: this.#devices, master: this.#env.place }) : error;
    this.#env.onFailed(located, this);
    return located;
  }

  /** Variables of one name on one task are one variable, whoever's session it is. */
  #placeOf({ name, device }: Node): string {
    const wanted = this.#devices.get(name) ?? device;
    const isTask = wanted.includes('/job:') && wanted.includes('/task:');
    return `${name} ${isTask ? wanted : `${wanted} ${this.#env.place}`}`;
  }

  #send(part: GraphDef): GraphDef {
    const { graphs, pins, control } = this.#env;
    const whole = this.graph.toDef();
    this.#devices = pinnedDevices(whole, pins);
    this.#hasSent = true;
    graphs.add(this.graph, applyPins(whole, pins));
    control.watcher.look(this);
    return this.#devices.size === 0
      ? part
      : { ...part, node: part.node.map((node) => ({ ...node, device: this.#devices.get(node.name) ?? node.device })) };
  }

  #tellTrace(number: number, metadata: RunMetadata): void {
    this.#env.tell({ kind: 'trace', name: `step ${number}`, metadata: toBinary(RunMetadataSchema, metadata) });
  }
}

/** The program did not ask for a trace. */
function withoutStats({ stepStats: _, ...metadata }: RunMetadata): RunMetadata {
  return metadata;
}
