import { setImmediate as otherWork } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { formatDeviceName } from '#proto/wire/device-name.ts';
import { sizeOf, type Tensor, zeros } from '#proto/wire/tensor.ts';
import {
  type ClusterInput,
  ClusterSpec,
  type DeviceInfo,
  type Fetched,
  type Fetches,
  type GraphBuilder,
  type Output,
  type PlacementConfig,
  type ProgramContext,
  type RunOptions,
  Session,
} from '../client/index.ts';
import { readFeeds } from '../client/session/feeds.ts';
import { planFetches } from '../client/session/fetches.ts';
import type { RunResult } from '../client/session/session.ts';
import { placementConfig } from './placement/placement-config.ts';
import type { SentGraphs } from './sent-graphs.ts';

/**
 * A program that goes on for so many calls, or computes for so long, without a new graph is at its work: nothing new is to be
 * expected. Its own time counts, in microseconds, as the machine may be busy with other things.
 */
const QUIET_CALLS = 10_000;
const QUIET_MICROSECONDS = 1_000_000;

export interface RehearsalOptions {
  readonly cluster: ClusterInput;
  /** Of each task. */
  readonly virtualGpus: number;
  readonly graphs: SentGraphs;
  readonly signal: AbortSignal;
}

/**
 * A client's context in which nothing runs: sessions keep the graphs that they are given and make up plausible values, so that
 * the program goes on to its next graph. `ended` resolves when the program seems to have no further graph.
 */
export class Rehearsal {
  readonly context: ProgramContext;
  readonly ended: Promise<void>;
  readonly #graphs: SentGraphs;
  /** Numbers of nodes that were kept. */
  readonly #sizes = new Map<GraphBuilder, number>();
  #end: () => void = () => undefined;
  #calls = 0;
  #since = ownTime();

  constructor({ cluster: jobs, virtualGpus: ofTasks, graphs, signal }: RehearsalOptions) {
    const cluster = new ClusterSpec(jobs);
    this.#graphs = graphs;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    const session = (graph: GraphBuilder, config: PlacementConfig, virtualGpus = ofTasks): Session =>
      new RehearsalSession(graph, { reach: () => this.#reach(graph, config), devices: () => devicesOf(cluster, virtualGpus) });
    this.context = {
      cluster,
      signal,
      target: (job, index) => cluster.target(job, index),
      session: (graph, job, index, options = {}) => {
        cluster.target(job, index);
        return session(graph, placementConfig(options));
      },
      localSession: (graph, { virtualGpus = 0 } = {}) => session(graph, {}, virtualGpus),
      log: () => undefined,
      sample: () => undefined,
      trace: () => undefined,
      sleep: () => this.#pass(),
    };
  }

  async #reach(graph: GraphBuilder, config: PlacementConfig): Promise<void> {
    const known = this.#sizes.get(graph);
    if (known !== graph.nodes.size) {
      this.#graphs.add(graph, graph.toDef(), config);
      this.#sizes.set(graph, graph.nodes.size);
    }
    if (known === undefined) [this.#calls, this.#since] = [0, ownTime()];
    await this.#pass();
  }

  async #pass(): Promise<void> {
    this.#calls++;
    // Timers and messages of this process need their turn too.
    await otherWork();
    if (this.#calls < QUIET_CALLS && ownTime() - this.#since < QUIET_MICROSECONDS) return;
    this.#end();
    await new Promise<never>(() => undefined);
  }
}

function ownTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

interface RehearsalEnv {
  reach(): Promise<void>;
  devices(): DeviceInfo[];
}

class RehearsalSession extends Session {
  readonly #graph: GraphBuilder;
  readonly #env: RehearsalEnv;

  constructor(graph: GraphBuilder, env: RehearsalEnv) {
    super(undefined, { graph });
    this.#graph = graph;
    this.#env = env;
  }

  override run<const F extends Fetches>(fetches: F, options: RunOptions = {}): Promise<Fetched<F>> {
    // `Fetched` is the type of what a plan puts together, which TypeScript cannot follow.
    return this.#pretend(fetches, options).then(({ value }) => value) as Promise<Fetched<F>>;
  }

  override async runWithMetadata<const F extends Fetches>(fetches: F, options: RunOptions = {}): Promise<RunResult<Fetched<F>>> {
    return (await this.#pretend(fetches, options)) as RunResult<Fetched<F>>;
  }

  override async listDevices(): Promise<DeviceInfo[]> {
    await this.#env.reach();
    return this.#env.devices();
  }

  override async close(): Promise<void> {}

  async #pretend(fetches: Fetches, { feeds = [] }: RunOptions): Promise<RunResult<unknown>> {
    const plan = planFetches(this.#graph, fetches);
    const values = readFeeds(this.#graph, feeds);
    await this.#env.reach();
    for (const output of plan.tensors) if (!values.has(output)) values.set(output, plausibleValue(output));
    return { value: plan.assemble(values), metadata: create(RunMetadataSchema, { stepStats: {} }) };
  }
}

const initializedOps = new Set(['IsVariableInitialized', 'VarIsInitializedOp']);

/** Zeros of the static shape. Lists of texts of unknown length are empty: they name what is missing, and nothing is. */
export function plausibleValue({ dtype, shape, node }: Output): Tensor {
  const open = dtype === 'string' ? 0 : 1;
  const known = (shape ?? []).map((dim) => (dim < 0 ? open : dim));
  const tensor = zeros(dtype, known);
  if (dtype === 'bool' && initializedOps.has(node.type)) return { ...tensor, data: new Uint8Array(sizeOf(known)).fill(1) } as Tensor;
  return tensor;
}

function devicesOf(cluster: ClusterSpec, virtualGpus: number): DeviceInfo[] {
  const tasks = cluster.tasks.length > 0 ? cluster.tasks : [{ job: 'localhost', index: 0 }];
  const types = ['CPU', ...new Array<string>(virtualGpus).fill('GPU')];
  return tasks.flatMap(({ job, index }) =>
    types.map((type, i) => ({
      name: formatDeviceName({ job, replica: 0, task: index, type, index: type === 'CPU' ? 0 : i - 1 }),
      type,
      memoryLimit: 0,
      incarnation: 0n,
      description: '',
    })),
  );
}
