import { describe, expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { VariableRef } from '../../../../task-server/engine/variable.ts';
import { elementwiseBinaryKernels } from '../../../../task-server/kernels/elementwise-binary.ts';
import { gatherKernels } from '../../../../task-server/kernels/gather.ts';
import { trainingKernels } from '../../../../task-server/kernels/training.ts';
import { trainingUpdateKernels } from '../../../../task-server/kernels/training-update.ts';
import { refVariableKernels } from '../../../../task-server/kernels/variable-ref.ts';
import { resourceVariableKernels } from '../../../../task-server/kernels/variable-resource.ts';
import { float, floats, int32, int32s, KernelBench, shapeAttr, tensorFrom } from '../../../support/kernel-node.ts';

const specs = [
  ...refVariableKernels,
  ...resourceVariableKernels,
  ...trainingKernels,
  ...trainingUpdateKernels,
  ...gatherKernels,
  ...elementwiseBinaryKernels,
];
const T = { type: 'float' } as const;

function bench(options = {}): KernelBench {
  return new KernelBench(specs, options);
}

async function ref(
  on: KernelBench,
  { name = 'w', shape = [2], dtype = 'float' as 'float' | 'double' | 'int32', sharedName = '', container = '' } = {},
) {
  const attrs = { dtype: { type: dtype }, shape: shapeAttr(shape), container, shared_name: sharedName };
  return (await on.node('VariableV2', attrs, name).run())[0] as VariableRef;
}

function assign(on: KernelBench, validates = true) {
  return on.node('Assign', { T, validate_shape: validates, use_locking: true });
}

async function handle(on: KernelBench, name = 'r', container = '') {
  return on.node('VarHandleOp', { dtype: T, container, shared_name: name }, name).tensor();
}

const read = (on: KernelBench) => on.node('ReadVariableOp', { dtype: T });
const set = (on: KernelBench) => on.node('AssignVariableOp', { dtype: T, validate_shape: false });

describe('reference variables', () => {
  it('nodes of one name share the value; reads are snapshots', async () => {
    const on = bench();
    const a = await ref(on);
    await assign(on).run(a, floats(1, 2));
    const before = a.variable.value;
    expect(await on.node('AssignAdd', { T }).run(a, floats(1, 1))).toEqual([a]);
    expect((await ref(on)).variable.value).toEqual(floats(2, 3));
    expect(before).toEqual(floats(1, 2));
    await on.node('AssignSub', { T }).run(a, floats(2, 2));
    expect(a.variable.value).toEqual(floats(0, 1));
  });

  it('a shape with a negative or unknown dimension is refused', async () => {
    for (const size of [-1, -5]) {
      await expect(ref(bench(), { shape: [size] })).rejects.toThrow(
        expect.objectContaining({ code: Code.INVALID_ARGUMENT, message: 'Shape [?] is not fully defined' }),
      );
    }
  });

  it('shared_name and container decide which one it is', async () => {
    const on = bench();
    await assign(on).run(await ref(on, { name: 'a', sharedName: 's' }), floats(4, 4));
    expect((await ref(on, { name: 'b', sharedName: 's' })).variable.value).toEqual(floats(4, 4));
    expect((await ref(on, { name: 'b', sharedName: 's', container: 'box' })).variable.value).toBeUndefined();
    await expect(ref(on, { sharedName: '_x' })).rejects.toMatchObject({
      message: "shared_name cannot start with '_':_x",
      code: Code.INVALID_ARGUMENT,
    });
  });

  it('is new after a Reset', async () => {
    const on = bench();
    const node = on.node('VariableV2', { dtype: T, shape: shapeAttr([2]), container: '', shared_name: '' }, 'w');
    await assign(on).run((await node.run())[0] as VariableRef, floats(1, 2));
    on.device.resources.clear([]);
    expect(((await node.run())[0] as VariableRef).variable.value).toBeUndefined();
  });

  it('keeps its shape, the declared one before the first assignment, unless told otherwise', async () => {
    const on = bench();
    const w = await ref(on, { shape: [3] });
    const mismatch = (left: string, right: string) => ({
      code: Code.INVALID_ARGUMENT,
      message: `Assign requires shapes of both tensors to match. lhs shape= [${left}] rhs shape= [${right}]`,
    });
    await expect(assign(on).run(w, floats(1, 2))).rejects.toMatchObject(mismatch('3', '2'));
    await assign(on, false).run(w, floats(1, 2));
    await expect(assign(on).run(w, floats(1, 2, 3))).rejects.toMatchObject(mismatch('2', '3'));
    await expect(on.node('AssignAdd', { T }).run(w, floats(1))).rejects.toMatchObject({
      message: 'Parameters and update must be the same size',
    });
    expect(w.variable.value).toEqual(floats(1, 2));
  });

  it('tells whether it has a value', async () => {
    const on = bench();
    const w = await ref(on);
    const initialized = on.node('IsVariableInitialized', { dtype: T });
    expect((await initialized.tensor(w)).data[0]).toBe(0);
    await assign(on).run(w, floats(1, 2));
    expect((await initialized.tensor(w)).data[0]).toBe(1);
  });

  it('counts up to a limit', async () => {
    const on = bench();
    const w = await ref(on, { shape: [], dtype: 'int32' });
    await assign(on).run(w, int32(3));
    const count = on.node('CountUpTo', { limit: 5, T: { type: 'int32' } });
    expect([await count.tensor(w), await count.tensor(w)]).toEqual([int32(3), int32(4)]);
    await expect(count.run(w)).rejects.toMatchObject({ code: Code.OUT_OF_RANGE, message: 'Reached limit of 5' });
  });

  it('loses no update when several are under way on a device thread', async () => {
    const on = bench({ later: true });
    const w = await ref(on, { shape: [300] });
    const ones = tensorFrom('float', [300], new Array<number>(300).fill(1));
    await assign(on).run(w, ones);
    const node = on.node('AssignAdd', { T });
    await Promise.all(Array.from({ length: 20 }, () => node.run(w, ones)));
    expect(new Set(w.variable.value?.data as Float32Array)).toEqual(new Set([21]));
  });

  it('a temporary variable gives its last value when it goes', async () => {
    const on = bench();
    const [w] = (await on.node('TemporaryVariable', { shape: shapeAttr([2]), dtype: T, var_name: '' }).run()) as [VariableRef];
    await on.node('AssignAdd', { T }).run(w, floats(1, 2));
    expect(await on.node('DestroyTemporaryVariable', { T, var_name: '' }).run(w)).toEqual([floats(1, 2)]);
  });
});

describe('resource variables', () => {
  it('live by their handle’s name', async () => {
    const on = bench();
    const r = await handle(on);
    await set(on).run(r, floats(1, 2));
    await on.node('AssignAddVariableOp', { dtype: T }).run(r, floats(1, 1));
    await on.node('AssignSubVariableOp', { dtype: T }).run(r, floats(0, 3));
    expect(await read(on).run(await handle(on))).toEqual([floats(2, 0)]);
    expect(await on.node('VariableShape', { out_type: { type: 'int64' } }).run(r)).toEqual([tensorFrom('int64', [1], [2])]);
    const gather = on.node('ResourceGather', { batch_dims: 0, dtype: T, Tindices: { type: 'int32' } });
    expect(await gather.run(r, int32s(1, 0))).toEqual([floats(0, 2)]);
    await expect(gather.run(r, int32s(2))).rejects.toMatchObject({ message: 'indices[0] = 2 is not in [0, 2)' });
  });

  it('may change shape, but not type', async () => {
    const on = bench();
    const r = await handle(on);
    await set(on).run(r, floats(1, 2));
    await set(on).run(r, floats(1, 2, 3));
    await expect(set(on).run(r, tensorFrom('double', [1], [1]))).rejects.toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: 'Trying to assign variable with wrong dtype. Expected float got double',
    });
    await expect(on.node('AssignVariableOp', { dtype: T, validate_shape: true }).run(r, floats(1))).rejects.toMatchObject({
      message: 'Trying to assign to variable with tensor with wrong shape. Expected [3] got [1]',
    });
    await expect(on.node('AssignAddVariableOp', { dtype: T }).run(r, floats(1))).rejects.toMatchObject({
      message: 'Cannot update variable with shape [3] using a Tensor with shape [1], shapes must be equal.',
    });
  });

  it('says in the words that clients look for that a variable has no value yet', async () => {
    const on = bench();
    const text = (container: string, why: string) =>
      `Could not find variable r. This could mean that the variable has been deleted. In TF1, it can also mean the variable is uninitialized. Debug info: container=${container}, status error message=${why}`;
    await set(on).run(await handle(on, 'other'), floats(1));
    await expect(read(on).run(await handle(on))).rejects.toMatchObject({
      code: Code.FAILED_PRECONDITION,
      message: text('ps', 'Resource ps/r/N10tensorflow3VarE does not exist.'),
    });
    await expect(read(on).run(await handle(on, 'r', 'box'))).rejects.toMatchObject({
      message: text('box', 'Container box does not exist. (Could not find resource: box/r)'),
    });
    expect((await on.node('VarIsInitializedOp').tensor(await handle(on))).data[0]).toBe(0);
  });

  it.each([
    ['AssignAddVariableOp', Code.NOT_FOUND, 'Resource ps/r/N10tensorflow3VarE does not exist.'],
    ['VariableShape', Code.NOT_FOUND, 'Resource ps/r/N10tensorflow3VarE does not exist.'],
    ['ResourceApplyGradientDescent', Code.INTERNAL, 'Invalid variable reference.'],
    ['DestroyResourceOp', Code.NOT_FOUND, 'Resource ps/r/<unknown> does not exist.'],
  ])('%s needs one', async (op, code, message) => {
    const on = bench();
    await set(on).run(await handle(on, 'other'), floats(1));
    const node = on.node(op, { dtype: T, T, out_type: { type: 'int32' }, ignore_lookup_error: false });
    await expect(node.run(await handle(on), float(1), float(1))).rejects.toMatchObject({ code, message });
  });

  it('adds to large values and gathers from them with the attrs that the other ops know', async () => {
    const on = bench();
    const r = await handle(on);
    const many = tensorFrom('float', [300], new Array<number>(300).fill(2));
    await set(on).run(r, many);
    await on.node('AssignAddVariableOp', { dtype: T }).run(r, many);
    await on.node('AssignSubVariableOp', { dtype: T }).run(r, tensorFrom('float', [300], new Array<number>(300).fill(1)));
    const indices = { type: 'int32' } as const;
    const gather = on.node('ResourceGather', { dtype: T, Tindices: indices, batch_dims: 0 });
    expect(await gather.tensor(r, int32s(0, 299))).toEqual(floats(3, 3));
    const gatherNd = on.node('ResourceGatherNd', { dtype: T, Tindices: indices });
    expect(await gatherNd.tensor(r, tensorFrom('int32', [1, 1], [5]))).toEqual(floats(3));
  });

  it('can be destroyed', async () => {
    const on = bench();
    const r = await handle(on);
    await set(on).run(r, floats(1));
    await on.node('DestroyResourceOp', { ignore_lookup_error: false }).run(r);
    await on.node('DestroyResourceOp', { ignore_lookup_error: true }).run(r);
    expect((await on.node('VarIsInitializedOp').tensor(r)).data[0]).toBe(0);
  });

  it('refuses handles of another device', async () => {
    const on = bench();
    const r = (await handle(on)) as Tensor<'resource'>;
    const foreign = { ...r, data: r.data.map((each) => ({ ...each, device: '/job:w/replica:0/task:0/device:CPU:0' })) };
    await expect(read(on).run(foreign)).rejects.toThrow(
      'Trying to access resource r located in device /job:w/replica:0/task:0/device:CPU:0 from device /job:ps/replica:0/task:0/device:CPU:0',
    );
  });
});

describe('training', () => {
  it('checks scalars and shapes', async () => {
    const on = bench();
    const w = await ref(on);
    await assign(on).run(w, floats(1, 2));
    const descent = on.node('ApplyGradientDescent', { T, use_locking: false });
    await expect(descent.run(w, floats(1, 2), floats(1, 2))).rejects.toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: 'alpha is not a scalar: [2]',
    });
    await expect(descent.run(w, float(1), floats(1, 2, 3))).rejects.toThrow('var and delta do not have the same shape[2] [3]');
    expect(w.variable.value).toEqual(floats(1, 2));
  });

  it('updates several variables at once, and loses none of many steps under way', async () => {
    const on = bench({ later: true });
    const w = await ref(on);
    const slot = await ref(on, { name: 'slot' });
    await assign(on).run(w, floats(0, 0));
    await assign(on).run(slot, floats(0, 0));
    const node = on.node('ApplyMomentum', { T, use_locking: false, use_nesterov: false });
    await Promise.all(Array.from({ length: 3 }, () => node.run(w, slot, float(1), floats(1, 2), float(1))));
    expect(slot.variable.value).toEqual(floats(3, 6));
    expect(w.variable.value).toEqual(floats(-6, -12));
  });
});
