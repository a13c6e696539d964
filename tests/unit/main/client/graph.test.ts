import { describe, expect, it } from 'vitest';
import { ClusterSpec, GradientDescentOptimizer, Graph, initializers, replicaDeviceSetter } from '../../../../main/client/index.ts';

const describeNodes = (g: Graph): string[] =>
  g.toDef().node.map(({ name, op, input, device }) => `${name} ${op} [${input.join(',')}]${device && ` @${device}`}`);

describe('names and nodes are those that TensorFlow makes', () => {
  it('for the regression of the first tutorial', () => {
    const g = new Graph();
    const w = g.variable('Variable', g.randomUniform([1], { min: -1, max: 1 }));
    const b = g.variable('Variable', g.zeros([1]));
    const x = new Float32Array(3);
    const y = g.add(g.mul(w, x, { name: 'mul' }), b, { name: 'add' });
    const loss = g.reduceMean(g.square(g.sub(y, x, { name: 'sub' })));
    new GradientDescentOptimizer(0.5).minimize(loss);
    g.globalVariablesInitializer();
    expect(describeNodes(g).slice(0, 22)).toEqual([
      'random_uniform/shape Const []',
      'random_uniform/min Const []',
      'random_uniform/max Const []',
      'random_uniform/RandomUniform RandomUniform [random_uniform/shape]',
      'random_uniform/sub Sub [random_uniform/max,random_uniform/min]',
      'random_uniform/mul Mul [random_uniform/RandomUniform,random_uniform/sub]',
      'random_uniform AddV2 [random_uniform/mul,random_uniform/min]',
      'Variable VariableV2 []',
      'Variable/Assign Assign [Variable,random_uniform]',
      'Variable/read Identity [Variable]',
      'zeros Const []',
      'Variable_1 VariableV2 []',
      'Variable_1/Assign Assign [Variable_1,zeros]',
      'Variable_1/read Identity [Variable_1]',
      'mul/y Const []',
      'mul Mul [Variable/read,mul/y]',
      'add AddV2 [mul,Variable_1/read]',
      'sub/y Const []',
      'sub Sub [add,sub/y]',
      'Square Square [sub]',
      'Const Const []',
      'Mean Mean [Square,Const]',
    ]);
    expect(describeNodes(g).slice(-5)).toEqual([
      'GradientDescent/learning_rate Const []',
      'GradientDescent/update_Variable/ApplyGradientDescent ApplyGradientDescent [Variable,GradientDescent/learning_rate,gradients/mul_grad/tuple/control_dependency]',
      'GradientDescent/update_Variable_1/ApplyGradientDescent ApplyGradientDescent [Variable_1,GradientDescent/learning_rate,gradients/add_grad/tuple/control_dependency_1]',
      'GradientDescent NoOp [^GradientDescent/update_Variable/ApplyGradientDescent,^GradientDescent/update_Variable_1/ApplyGradientDescent]',
      'init NoOp [^Variable/Assign,^Variable_1/Assign]',
    ]);
  });

  it('for report_uninitialized_variables and an initializer over two devices', () => {
    const g = new Graph();
    g.device('/job:ps/task:0', () => g.variable('var', 0));
    g.device('/job:ps/task:1', () => g.variable('w2', [1, 2]));
    g.reportUninitializedVariables();
    g.globalVariablesInitializer();
    const lines = describeNodes(g);
    expect(lines).toContain('report_uninitialized_variables/IsVariableInitialized IsVariableInitialized [var] @/job:ps/task:0');
    expect(lines).toContain(
      'report_uninitialized_variables/boolean_mask/concat ConcatV2 [report_uninitialized_variables/boolean_mask/strided_slice_1,report_uninitialized_variables/boolean_mask/concat/values_1,report_uninitialized_variables/boolean_mask/strided_slice_2,report_uninitialized_variables/boolean_mask/concat/axis] @/device:CPU:0',
    );
    expect(lines.slice(-3)).toEqual([
      'init/NoOp NoOp [^var/Assign] @/job:ps/task:0',
      'init/NoOp_1 NoOp [^w2/Assign] @/job:ps/task:1',
      'init NoOp [^init/NoOp,^init/NoOp_1]',
    ]);
  });

  it('for a resource variable', () => {
    const g = new Graph();
    g.variable('v', initializers.constant(2), { shape: [2, 2], resource: true });
    expect(describeNodes(g)).toEqual([
      'v/Initializer/Const Const []',
      'v VarHandleOp []',
      'v/IsInitialized/VarIsInitializedOp VarIsInitializedOp [v]',
      'v/Assign AssignVariableOp [v,v/Initializer/Const]',
      'v/Read/ReadVariableOp ReadVariableOp [v]',
    ]);
  });
});

describe('scopes', () => {
  it('make names unique without regard to case', () => {
    const g = new Graph();
    const names = ['a', 'A', 'a_1', 'a'].map((name) => g.noOp({ name }).name);
    expect(names).toEqual(['a', 'A_1', 'a_1_1', 'a_2']);
  });

  it('let inner devices refine outer ones, and null drop them', () => {
    const g = new Graph();
    const at = (): string => g.noOp().device;
    g.device('/job:worker/cpu:0', () => {
      expect(g.device('/task:1', at)).toBe('/job:worker/task:1/device:CPU:0');
      expect(g.device('/gpu:1', at)).toBe('/job:worker/device:GPU:1');
      expect(g.device(null, at)).toBe('');
    });
  });

  it('skip a control dependency that an input already has', () => {
    const g = new Graph();
    const gate = g.noOp({ name: 'gate' });
    const [first, second] = g.controlDependencies([gate], () => {
      const one = g.constant(1);
      return [one, g.neg(one)] as const;
    });
    expect(first.node.controlInputs).toEqual([gate]);
    expect(second.node.controlInputs).toEqual([]);
  });

  it('put variables on ps tasks in turn and the rest on the worker, as replica_device_setter does', () => {
    const cluster = new ClusterSpec({ ps: ['a:1', 'b:1', 'c:1'], worker: ['d:1'] });
    const g = new Graph();
    g.device(replicaDeviceSetter({ cluster, workerDevice: '/job:worker/task:0/gpu:0' }), () => {
      for (const name of ['a', 'b', 'c']) g.variable(name, 0);
      g.variable('r', 0, { resource: true });
      g.device('/job:worker/task:3', () => g.variable('w', 1));
      g.device('/cpu:0', () => g.variable('x', 1));
      g.constant(1, { name: 'k' });
    });
    const places = Object.fromEntries([...g.nodes.values()].map(({ name, device }) => [name, device]));
    expect(places).toMatchObject({
      'a/initial_value': '/job:worker/task:0/device:GPU:0',
      a: '/job:ps/task:0',
      'a/Assign': '/job:ps/task:0',
      'a/read': '/job:ps/task:0',
      b: '/job:ps/task:1',
      c: '/job:ps/task:2',
      r: '/job:ps/task:0',
      w: '/job:worker/task:3',
      'w/initial_value': '/job:worker/task:3/device:GPU:0',
      x: '/job:ps/task:1/device:CPU:0',
      k: '/job:worker/task:0/device:GPU:0',
    });
  });
});

describe('inputs', () => {
  it('take the dtype of the other operand', () => {
    const g = new Graph();
    expect(g.add(1, g.constant(2, { dtype: 'double' })).dtype).toBe('double');
    expect(g.mul(g.constant(2n), 3).dtype).toBe('int64');
    expect(g.add(1, 2).dtype).toBe('float');
  });

  it.each([
    ['an unknown op', (g: Graph) => g.op('NoSuchOp', []), "Op type not registered 'NoSuchOp'"],
    [
      'another dtype',
      (g: Graph) => g.add(g.constant(1), g.constant(1n)),
      "Input 'y' of 'AddV2' Op has type int64 that does not match type float",
    ],
    ['a fraction for integers', (g: Graph) => g.add(g.constant(1n), 1.5), '1.5 is no value of type int64'],
    ['a missing attr', (g: Graph) => g.op('Placeholder', []), "missing attr 'dtype'"],
    ['an unknown attr', (g: Graph) => g.op('NoOp', [], { colour: 1 }), "Op 'NoOp' has no attr 'colour'"],
    ['too few inputs', (g: Graph) => g.op('Mul', [1]), "Op 'Mul' takes 2 inputs (x, y), but 1 were given"],
    [
      'a value as a reference',
      (g: Graph) => g.op('Assign', [g.constant(1), 2]),
      "Input 'ref' of 'Assign' Op requires a reference to a variable",
    ],
    [
      'matrices that do not fit',
      (g: Graph) => g.matmul(g.zeros([2, 3]), g.zeros([4, 5])),
      "Dimensions must be equal, but are 3 and 4 for 'MatMul'",
    ],
    ['a ragged array', (g: Graph) => g.constant([[1], [1, 2]]), 'must all have the same length'],
    ['a bad device', (g: Graph) => g.device('ps0', () => g.noOp()), "'ps0' is not a device name"],
  ])('refuse %s', (_what, make, message) => {
    expect(() => make(new Graph())).toThrow(message);
  });

  it('of a branch enter through Switch, and constants wait for the branch', () => {
    const g = new Graph();
    const x = g.placeholder('float', [2], { name: 'x' });
    const y = g.cond(
      g.placeholder('bool', []),
      () => g.mul(x, 2, { name: 'mul' }),
      () => g.constant([1, 2]),
    );
    expect(y.name).toBe('cond/Merge:0');
    expect(describeNodes(g)).toContain('cond/mul/y Const [^cond/switch_t]');
    expect(describeNodes(g)).toContain('cond/mul Mul [cond/mul/Switch:1,cond/mul/y]');
  });
});

it('gives random ops the seeds of TensorFlow 2.x', () => {
  const g = new Graph();
  expect(g.seeds()).toEqual({ seed: 0, seed2: 0 });
  expect(g.seeds(5)).toEqual({ seed: 87654321, seed2: 5 });
  g.setRandomSeed(7);
  expect([g.seeds(), g.seeds(3), g.seeds()]).toEqual([
    { seed: 7, seed2: 0 },
    { seed: 7, seed2: 3 },
    { seed: 7, seed2: 1 },
  ]);
  g.setRandomSeed(0);
  expect(g.seeds(0)).toEqual({ seed: 0, seed2: 2147483647 });
});
