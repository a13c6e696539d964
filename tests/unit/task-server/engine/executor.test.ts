import { describe, expect, it } from 'vitest';
import { aborted, Code, cancelled, internal, invalidArgument, type StatusError } from '#proto/wire/status.ts';
import { makeTensor } from '#proto/wire/tensor.ts';
import type { StatefulCompute } from '../../../../task-server/engine/kernel.ts';
import { KernelCache } from '../../../../task-server/engine/kernel-cache.ts';
import { LocalRendezvous } from '../../../../task-server/engine/local-rendezvous.ts';
import { type Behaviour, bool, compile, graphOf, node, scalar, source, step, testKernels } from './engine-kit.ts';

const identity = (name: string, ...inputs: string[]) => node(name, 'Identity', { inputs });
const add = (name: string, ...inputs: string[]) => node(name, 'AddV2', { inputs });
const predicate = (name: string) => node(name, 'Placeholder', { types: { dtype: 'bool' } });
const variable = (name: string) =>
  node(name, 'VariableV2', { types: { dtype: 'float' }, attrs: { shape: { value: { case: 'shape', value: {} } } } });
const merge = (name: string, ...inputs: string[]) =>
  node(name, 'Merge', {
    inputs,
    attrs: { N: { value: { case: 'i', value: BigInt(inputs.filter((text) => !text.startsWith('^')).length) } } },
  });

/** Resolves after the timers and I/O callbacks that are due. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

const later =
  (value: number): StatefulCompute =>
  async () => {
    await turn();
    return [scalar(value)];
  };

/** Waits until the step is cancelled, as a dequeue from an empty queue does. */
const park: StatefulCompute = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(cancelled('Dequeue operation was cancelled'))));

async function run(nodes: Parameters<typeof graphOf>, behaviour: Behaviour = {}, context = step()) {
  const log: string[] = [];
  const seen: Record<string, unknown> = {};
  const see: StatefulCompute = (_, [value]) => {
    seen['value'] = value && 'data' in value ? value.data[0] : value;
    return value ? [value] : [];
  };
  const error = await compile(graphOf(...nodes), testKernels(log, { see, ...behaviour }))
    .run(context)
    .then(
      () => undefined,
      (thrown: StatusError) => thrown,
    );
  return { log, error, value: seen['value'] };
}

describe('order of execution', () => {
  it('starts a node after all its inputs, whatever the order of the definition', async () => {
    const { log, error } = await run([identity('d', 'b'), identity('b', 'a'), source('a')]);
    expect(error).toBeUndefined();
    expect(log).toEqual(['a', 'b', 'd']);
  });

  it('runs each node of a diamond once and adds up the values', async () => {
    const { log, value } = await run([source('a'), identity('l', 'a'), identity('r', 'a'), add('sum', 'l', 'r'), identity('see', 'sum')]);
    expect(log).toEqual(['a', 'l', 'r', 'see']);
    expect(value).toBe(2);
  });

  it('waits for control edges, also those named twice', async () => {
    const slow = later(1);
    const { log } = await run([source('fast', ['^slow', '^slow']), source('slow')], { slow });
    expect(log).toEqual(['slow', 'fast']);
  });

  it('goes on with other nodes while a kernel is pending', async () => {
    const { log, value } = await run(
      [source('slow'), source('quick'), identity('q2', 'quick'), add('sum', 'slow', 'q2'), identity('see', 'sum')],
      {
        slow: later(5),
      },
    );
    expect(log).toEqual(['slow', 'quick', 'q2', 'see']);
    expect(value).toBe(6);
  });

  it('ends at once for an empty graph', async () => {
    expect((await run([])).error).toBeUndefined();
  });

  it('lets timers run within a long step of short kernels', async () => {
    const spin: StatefulCompute = (_, inputs) => {
      const end = performance.now() + 2;
      while (performance.now() < end);
      return inputs.slice(0, 1);
    };
    const chain = Array.from({ length: 20 }, (_, i) => identity(`n${i}`, i === 0 ? 'a' : `n${i - 1}`));
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await run([source('a'), ...chain], Object.fromEntries(chain.map(({ name }) => [name, spin])));
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('keeps concurrent runs of one executable apart', async () => {
    const slow: StatefulCompute = async ({ stepId }) => {
      await turn();
      return [scalar(Number(stepId))];
    };
    const sums: unknown[] = [];
    const see: StatefulCompute = (_, [value]) => {
      sums.push(value && 'data' in value ? value.data[0] : undefined);
      return value ? [value] : [];
    };
    const executable = compile(graphOf(source('slow'), add('sum', 'slow', 'slow'), identity('see', 'sum')), testKernels([], { slow, see }));
    await Promise.all([executable.run(step({ stepId: 10n })), executable.run(step({ stepId: 20n }))]);
    expect(sums.sort()).toEqual([20, 40]);
  });
});

describe('dead branches', () => {
  const branches = (...more: Parameters<typeof graphOf>): Parameters<typeof graphOf> => [
    source('x'),
    predicate('p'),
    node('sw', 'Switch', { inputs: ['x', 'p'] }),
    identity('no', 'sw:0'),
    identity('yes', 'sw:1'),
    ...more,
  ];
  const choose = (value: boolean): Behaviour => ({ p: () => [bool(value)] });

  it.each([true, false])('runs only the branch that Switch chose (%s)', async (value) => {
    const { log, error } = await run(branches(), choose(value));
    expect(error).toBeUndefined();
    expect(log).toEqual(['x', 'p', value ? 'yes' : 'no']);
  });

  it('carries deadness over data and control edges', async () => {
    const more = [identity('after', 'no'), source('controlled', ['^after']), identity('mixed', 'yes', '^no')];
    const { log } = await run(branches(...more), choose(true));
    expect(log).toEqual(['x', 'p', 'yes']);
  });

  it.each([true, false])('joins the branches with Merge, which tells which came (%s)', async (value) => {
    const chosen: unknown[] = [];
    const index: StatefulCompute = (_, [number]) => {
      chosen.push(number && 'data' in number ? number.data[0] : undefined);
      return number ? [number] : [];
    };
    const more = [merge('m', 'no', 'yes'), identity('see', 'm'), node('index', 'Identity', { inputs: ['m:1'], types: { T: 'int32' } })];
    const { value: merged } = await run(branches(...more), { ...choose(value), index, no: () => [scalar(10)], yes: () => [scalar(20)] });
    expect(merged).toBe(value ? 20 : 10);
    expect(chosen).toEqual([value ? 1 : 0]);
  });

  it('fires a Merge on its first live input and ignores the others', async () => {
    const nodes = [source('fast'), source('slow'), merge('m', 'slow', 'fast'), identity('see', 'm')];
    const { value, log } = await run(nodes, { fast: () => [scalar(1)], slow: later(2) });
    expect(value).toBe(1);
    expect(log).toEqual(['fast', 'slow', 'see']);
  });

  it('makes a Merge dead when all its inputs are, not when a control input is', async () => {
    const more = [merge('dead', 'no'), identity('d', 'dead'), merge('alive', 'yes', '^no'), identity('l', 'alive')];
    const { log } = await run(branches(...more), choose(true));
    expect(log).toEqual(['x', 'p', 'yes', 'l']);
  });

  it('runs what follows a ControlTrigger although its inputs are dead', async () => {
    const more = [node('trigger', 'ControlTrigger', { inputs: ['^no', '^yes'], types: {} }), source('end', ['^trigger'])];
    const { log } = await run(branches(...more), choose(true));
    expect(log).toEqual(['x', 'p', 'yes', 'end']);
  });

  it('refuses a predicate that is no scalar', async () => {
    const { error } = await run(branches(), { p: () => [makeTensor('bool', [2], Uint8Array.of(0, 1))] });
    expect(error?.message).toBe('The second input must be a scalar, but it has shape [2]\n\t [[{{node sw}}]]');
  });
});

describe('transfers', () => {
  const attrs = (types: 'T' | 'tensor_type', client = false) => ({
    types: { [types]: 'float' as const },
    attrs: {
      tensor_name: { value: { case: 's' as const, value: new TextEncoder().encode('edge_1_x') } },
      send_device: { value: { case: 's' as const, value: new TextEncoder().encode('/device:CPU:0') } },
      recv_device: { value: { case: 's' as const, value: new TextEncoder().encode('/device:CPU:1') } },
      send_device_incarnation: { value: { case: 'i' as const, value: -1n } },
      client_terminated: { value: { case: 'b' as const, value: client } },
    },
  });
  const key = '/device:CPU:0;ffffffffffffffff;/device:CPU:1;edge_1_x;0:0';
  const send = (input: string) => node('s', '_Send', { inputs: [input], ...attrs('T') });
  const recv = node('r', '_Recv', attrs('tensor_type'));

  it('leaves a value under its key for a Recv of the same step', async () => {
    const context = step();
    await run([source('x'), send('x')], { x: () => [scalar(4)] }, context);
    const { value } = await run([recv, identity('see', 'r')], {}, context);
    expect(value).toBe(4);
  });

  it('waits for a Send that comes later', async () => {
    const context = step();
    const receiving = run([recv, identity('see', 'r')], {}, context);
    await turn();
    context.rendezvous.send(key, { tensor: scalar(3), isDead: false });
    expect((await receiving).value).toBe(3);
  });

  it('sends deadness, which makes the Recv dead', async () => {
    const context = step();
    await run(
      [source('x'), predicate('p'), node('sw', 'Switch', { inputs: ['x', 'p'] }), send('sw:0')],
      { p: () => [bool(true)] },
      context,
    );
    expect(context.rendezvous.recv(key)).toMatchObject({ isDead: true });
    context.rendezvous.send(key, { tensor: scalar(0), isDead: true });
    const { log, error } = await run([recv, identity('after', 'r'), source('last', ['^after'])], {}, context);
    expect(error).toBeUndefined();
    expect(log).toEqual([]);
  });

  it('passes on the error of a rendezvous that was aborted, the second node without braces', async () => {
    const rendezvous = new LocalRendezvous();
    rendezvous.abort(invalidArgument('bad\n\t [[{{node far}}]]'));
    const { error } = await run([recv], {}, step({ rendezvous }));
    expect(error).toMatchObject({ code: Code.INVALID_ARGUMENT, message: 'bad\n\t [[{{node far}}]]\n\t [[r]]' });
  });
});

describe('references', () => {
  const assign = (name: string, ...inputs: string[]) => node(name, 'Assign', { inputs });

  it('gives a plain input the value that the variable has when the node starts', async () => {
    const nodes = [variable('v'), source('one'), assign('w', 'v', 'one'), identity('read', 'v', '^w'), source('two', ['^read'])];
    const more = [assign('w2', 'v', 'two'), add('sum', 'v', 'read'), identity('see', 'sum')];
    more[1]?.input.push('^w2');
    const { value, error } = await run([...nodes, ...more], { two: () => [scalar(10)] });
    expect(error).toBeUndefined();
    expect(value).toBe(11);
  });

  it('refuses a variable without a value and names the consumer', async () => {
    const { error } = await run([variable('v'), identity('read', 'v')]);
    expect(error).toMatchObject({
      code: Code.FAILED_PRECONDITION,
      message: 'Attempting to use uninitialized value v\n\t [[{{node read}}]]',
    });
  });

  it('lets an initialisation take the reference all the same', async () => {
    const { error } = await run([variable('v'), source('x'), assign('init', 'v', 'x')]);
    expect(error).toBeUndefined();
  });
});

describe('failures', () => {
  it('names the node, aborts the rendezvous and starts nothing more', async () => {
    const rendezvous = new LocalRendezvous();
    const bad: StatefulCompute = () => {
      throw invalidArgument('no good');
    };
    const { error, log } = await run([source('bad'), identity('after', 'bad'), source('other')], { bad }, step({ rendezvous }));
    expect(error).toMatchObject({ code: Code.INVALID_ARGUMENT, message: 'no good\n\t [[{{node bad}}]]' });
    expect(log).toEqual(['bad']);
    await expect(rendezvous.recv('k')).rejects.toBe(error);
  });

  it('uses the names that the client gave when a rewriter noted them', async () => {
    const renamed = source('x_folded');
    renamed.experimentalDebugInfo = {
      $typeName: 'tensorflow.NodeDef.ExperimentalDebugInfo',
      originalNodeNames: ['x'],
      originalFuncNames: [],
    };
    const { error } = await run([renamed], { x_folded: () => Promise.reject(aborted('lost')) });
    expect(error?.message).toBe('lost\n\t [[{{node x}}]]');
  });

  it('turns a bug of a kernel into INTERNAL', async () => {
    const { error } = await run([source('x')], { x: () => (undefined as unknown as { f(): [] }).f() });
    expect(error?.code).toBe(Code.INTERNAL);
    expect(error?.message).toContain('[[{{node x}}]]');
  });

  it('settles only when the kernels at work have ended', async () => {
    let isDone = false;
    const slow: StatefulCompute = async () => {
      await turn();
      await turn();
      isDone = true;
      return [scalar(1)];
    };
    const bad: StatefulCompute = () => Promise.reject(invalidArgument('no good'));
    const { error } = await run([source('slow'), source('bad')], { slow, bad });
    expect(error?.message).toContain('no good');
    expect(isDone).toBe(true);
  });

  it('ends what is parked in the same partition, and keeps the root cause', async () => {
    const bad: StatefulCompute = async () => {
      await turn();
      throw invalidArgument('no good');
    };
    const { error } = await run([source('parked'), source('bad')], { parked: park, bad });
    expect(error?.message).toBe('no good\n\t [[{{node bad}}]]');
  });

  it('prefers a root cause to an error that only follows from one', async () => {
    const root: StatefulCompute = async () => {
      await turn();
      throw internal('root');
    };
    const derived: StatefulCompute = () => Promise.reject(aborted('follows', { derived: true }));
    const { error } = await run([source('derived'), source('root')], { derived, root });
    expect(error?.message).toBe('root\n\t [[{{node root}}]]');
  });

  it('checks outputs against the declared types', async () => {
    const wrong = await run([source('x')], { x: () => [bool(true)] });
    expect(wrong.error).toMatchObject({
      code: Code.INTERNAL,
      message: 'Output 0 of type bool does not match declared output type float for node {{node x}}',
    });
    const missing = await run([source('x')], { x: () => [] });
    expect(missing.error?.message).toBe('Missing 0-th output from {{node x}}');
  });
});

describe('cancellation', () => {
  it('ends parked kernels and rejects with the reason of the signal', async () => {
    const client = new AbortController();
    const rendezvous = new LocalRendezvous();
    const running = run([source('parked'), identity('after', 'parked')], { parked: park }, step({ signal: client.signal, rendezvous }));
    await turn();
    const reason = cancelled('Step was cancelled by the client');
    client.abort(reason);
    const { error, log } = await running;
    expect(error).toBe(reason);
    expect(log).toEqual(['parked']);
    await expect(rendezvous.recv('k')).rejects.toBe(reason);
  });

  it('runs nothing when it comes before the start', async () => {
    const { error, log } = await run([source('x')], {}, step({ signal: AbortSignal.abort(cancelled('early')) }));
    expect(error?.message).toBe('early');
    expect(log).toEqual([]);
  });

  it('leaves no listener behind on the signal of the step', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    signal.addEventListener = () => listeners++;
    signal.removeEventListener = () => listeners--;
    await run([source('x')], {}, step({ signal }));
    expect(listeners).toBe(0);
  });
});

describe('compilePartition', () => {
  const compiling = (nodes: Parameters<typeof graphOf>) => () => compile(graphOf(...nodes), testKernels([]));

  it('refuses a node without a kernel, by name', () => {
    const sum = node('sum', 'AddV2', { inputs: ['x', 'x'], types: { T: 'int32' } });
    const int = node('x', 'Placeholder', { types: { dtype: 'int32' } });
    expect(compiling([int, sum])).toThrow(/^No registered 'AddV2' OpKernel for 'CPU' devices.*{{node sum}}[\s\S]*\n\n\t \[\[sum\]\]$/);
  });

  it('refuses cycles', () => {
    expect(compiling([identity('a', 'b'), identity('b', 'a')])).toThrow("2 nodes in a cycle, among them 'a', 'b'");
  });

  it('refuses loops for now, naming the node', () => {
    const enter = node('while/Enter', 'Enter', {
      inputs: ['x'],
      attrs: { frame_name: { value: { case: 's', value: new Uint8Array(1) } } },
    });
    expect(compiling([source('x'), enter])).toThrow(expect.objectContaining({ code: Code.UNIMPLEMENTED }));
    expect(compiling([source('x'), enter])).toThrow("'while/Enter'");
  });

  it('keeps the kernels of stateful ops in the cache, the others with the graph', () => {
    const made: string[] = [];
    const kernels = testKernels([]).map((spec) => {
      if (spec.kind === 'pure') return spec;
      return {
        ...spec,
        create: (...args: Parameters<typeof spec.create>) => made.push(args[0].name) && spec.create(...args),
      } as typeof spec;
    });
    const cache = new KernelCache();
    const graph = graphOf(variable('v'), source('x'));
    compile(graph, kernels, cache);
    compile(graph, kernels, cache);
    expect(made).toEqual(['v', 'x', 'x']);
  });
});
