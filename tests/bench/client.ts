import { type Fetchable, GradientDescentOptimizer, Graph, Session, TraceLevel } from '../../main/client/index.ts';

/** A client that can run workloads on a cluster of two canshu and two gongzuo tasks. */
export interface BenchClient {
  readonly language: string;
  /** Seconds that so many steps of a workload take, after a few that are not counted. */
  run(target: string, workload: string, steps: number): Promise<number>;
  close(): Promise<void>;
}

interface Step {
  readonly graph: Graph;
  readonly initialize: Fetchable;
  readonly fetch: Fetchable;
  readonly traced?: boolean;
}

const WARM_UP = 5;

/** Builders of one step's graph; sessions are kept, as those of a training program are. */
const builders: Readonly<Record<string, () => Step>> = {
  noop() {
    const graph = new Graph();
    const nothing = graph.device('/job:canshu/task:0', () => graph.noOp());
    return { graph, initialize: nothing, fetch: nothing };
  },
  read() {
    const graph = new Graph();
    const variable = graph.device('/job:canshu/task:1', () => graph.variable('read', 1));
    return { graph, initialize: variable.initializer, fetch: variable };
  },
  assign_add() {
    const graph = new Graph();
    const variable = graph.device('/job:canshu/task:1', () => graph.variable('assign_add', 1));
    return { graph, initialize: variable.initializer, fetch: variable.assignAdd(1).node };
  },
  regression: () => regression('regression'),
  traced: () => ({ ...regression('traced'), traced: true }),
  bulk() {
    const graph = new Graph();
    const variable = graph.device('/job:canshu/task:1', () => graph.variable('bulk', graph.ones([25_000_000])));
    const first = graph.device('/job:gongzuo/task:0', () => graph.slice(variable, [0], [1]));
    return { graph, initialize: variable.initializer, fetch: first.node };
  },
};

function regression(name: string): Step {
  const graph = new Graph();
  const x = Float32Array.from({ length: 100 }, (_, i) => i / 100);
  const y = x.map((value) => value * 0.1 + 0.3);
  const weights = graph.device('/job:canshu/task:0', () => graph.variable(`${name}_w`, [0.5]));
  const biases = graph.device('/job:canshu/task:1', () => graph.variable(`${name}_b`, [0]));
  const loss = graph.device('/job:gongzuo/task:0', () =>
    graph.reduceMean(graph.square(graph.sub(graph.add(graph.mul(weights, x), biases), y))),
  );
  const train = graph.device('/job:gongzuo/task:1', () => new GradientDescentOptimizer(0.5).minimize(loss));
  return { graph, initialize: graph.globalVariablesInitializer(), fetch: train };
}

export function typeScriptClient(): BenchClient {
  const prepared = new Map<string, Promise<{ session: Session; step: Step }>>();
  const prepare = async (target: string, workload: string) => {
    const build = builders[workload];
    if (!build) throw new Error(`No workload ${workload}`);
    const step = build();
    const session = new Session(target, { graph: step.graph });
    await session.run(step.initialize);
    return { session, step };
  };
  return {
    language: 'TypeScript',
    async run(target, workload, steps) {
      const key = `${target} ${workload}`;
      const preparing = prepared.get(key) ?? prepare(target, workload);
      prepared.set(key, preparing);
      const { session, step } = await preparing;
      const options = step.traced ? { options: { traceLevel: TraceLevel.FULL_TRACE } } : {};
      const repeat = async (times: number) => {
        for (let i = 0; i < times; i++) await session.run(step.fetch, options);
      };
      await repeat(Math.min(WARM_UP, steps));
      const begin = performance.now();
      await repeat(steps);
      return (performance.now() - begin) / 1000;
    },
    async close() {
      for (const { session } of await Promise.all(prepared.values())) await session.close();
    },
  };
}
