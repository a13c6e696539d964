import { afterEach, describe, expect, it, vi } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { makeTensor, type Tensor } from '#proto/wire/tensor.ts';
import { constantKernels } from '../../../../task-server/kernels/constant.ts';
import { assertKernels } from '../../../../task-server/kernels/control.ts';
import { shapeKernels } from '../../../../task-server/kernels/shape.ts';
import { float, floats, int32s, KernelBench, shapeAttr, tensorAttr, tensorFrom } from '../../../support/kernel-node.ts';

const bench = new KernelBench([...assertKernels, ...constantKernels, ...shapeKernels]);
const no = makeTensor('bool', [], Uint8Array.of(0));
const yes = makeTensor('bool', [], Uint8Array.of(1));
const text = (...values: string[]) =>
  makeTensor(
    'string',
    [values.length],
    values.map((value) => new TextEncoder().encode(value)),
  );

afterEach(() => vi.restoreAllMocks());

describe('Assert', () => {
  it.each<[string, number, Tensor[]]>([
    ['[1 2 3...] [1.5]', 3, [int32s(1, 2, 3, 4, 5), float(1.5)]],
    ['[[1 2][3...]...]', 3, [tensorFrom('float', [2, 2], [1, 2, 3, 4])]],
    ['[[1 2][3 4]]', -1, [tensorFrom('float', [2, 2], [1, 2, 3, 4])]],
    ['[[[0 0][0...]]...]', 3, [tensorFrom('int64', [2, 2, 2], [0, 0, 0, 0, 0, 0, 0, 0])]],
    ['[a b c...]', 3, [text('a', 'b', 'c', 'dd')]],
    [
      '[0.333333343 1e+10 1e-07 nan inf 123456.789 -0]',
      20,
      [floats(1 / 3, 1e10, 1e-7, Number.NaN, Number.POSITIVE_INFINITY, 123456.789, -0)],
    ],
    ['[0.33333333333333331 10000000000 1e-07 123456.789]', 20, [tensorFrom('double', [4], [1 / 3, 1e10, 1e-7, 123456.789])]],
    ['[...]', 0, [float(3)]],
  ])('assertion failed: %s', async (message, summarize, data) => {
    const node = bench.node('Assert', { summarize });
    await expect(node.run(no, ...data)).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT, message: `assertion failed: ${message}` });
    expect(await node.run(yes, ...data)).toEqual([]);
  });
});

describe('Print', () => {
  it('writes to the log of the task and passes its input on', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const node = bench.node('Print', { message: 'msg:', first_n: 1, summarize: 3 });
    expect(await node.run(float(1), int32s(1, 2, 3, 4), float(1.5))).toEqual([float(1)]);
    await node.run(float(1), float(2));
    expect(write.mock.calls).toEqual([['msg:[1 2 3...][1.5]\n']]);
  });

  it('PrintV2 knows its streams', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const [hello] = [makeTensor('string', [], [new TextEncoder().encode('hello')])];
    await bench.node('PrintV2', { output_stream: 'stderr', end: '\n' }).run(hello);
    expect(write.mock.calls).toEqual([['hello\n']]);
    expect(() => bench.node('PrintV2', { output_stream: 'nope' })).toThrow(
      'Unknown output stream: nope, Valid streams are: stdout stderr log(info) log(warning) log(error)',
    );
  });
});

describe('placeholders and constants', () => {
  it.each([
    ["You must feed a value for placeholder tensor 'x' with dtype float and shape [2,3]", [2, 3]],
    ["You must feed a value for placeholder tensor 'x' with dtype float and shape [?,3]", [-1, 3]],
    ["You must feed a value for placeholder tensor 'x' with dtype float", []],
    ["You must feed a value for placeholder tensor 'x' with dtype float", undefined],
  ])('%s', async (message, shape) => {
    const node = bench.node('Placeholder', { dtype: { type: 'float' }, shape: shapeAttr(shape) }, 'x');
    await expect(node.run()).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT, message });
  });

  it('a constant is decoded once', async () => {
    const node = bench.node('Const', { dtype: { type: 'float' }, value: tensorAttr(floats(1, 2)) });
    const [first] = await node.run();
    expect(first).toEqual(floats(1, 2));
    expect((await node.run())[0]).toBe(first);
  });
});
