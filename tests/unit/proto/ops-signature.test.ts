import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { OpDefSchema } from '#proto/generated/tensorflow/op_def_pb.ts';
import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { functionOpDef } from '#proto/ops/function-signature.ts';
import { resolveTypes } from '#proto/ops/signature.ts';
import { Code } from '#proto/wire/status.ts';
import { bool, int, op, type, types } from './op-attrs.ts';

const { DT_BOOL, DT_FLOAT, DT_INT32, DT_STRING } = DataType;

describe('resolveTypes', () => {
  it('reads an element type from its attr', () => {
    const plain = (arg: string) => ({ arg, dtype: DT_FLOAT, isRef: false });
    expect(resolveTypes(op('MatMul'), { T: type(DT_FLOAT) })).toEqual({ inputs: [plain('a'), plain('b')], outputs: [plain('product')] });
  });

  it('uses the default of an attr that is left out', () => {
    const { inputs } = resolveTypes(op('ConcatV2'), { N: int(2), T: type(DT_FLOAT) });
    expect(inputs.map(({ arg, dtype }) => [arg, dtype])).toEqual([
      ['values', DT_FLOAT],
      ['values', DT_FLOAT],
      ['axis', DT_INT32],
    ]);
  });

  it('expands a list of types', () => {
    const { outputs } = resolveTypes(op('IdentityN'), { T: types(DT_STRING, DT_BOOL) });
    expect(outputs.map(({ dtype }) => dtype)).toEqual([DT_STRING, DT_BOOL]);
  });

  it('marks references', () => {
    const { inputs, outputs } = resolveTypes(op('Assign'), { T: type(DT_FLOAT) });
    expect(inputs.map(({ isRef }) => isRef)).toEqual([true, false]);
    expect(outputs.map(({ isRef }) => isRef)).toEqual([true]);
  });

  it('does not look at attrs that decide no type', () => {
    expect(resolveTypes(op('MatMul'), { T: type(DT_FLOAT), transpose_a: int(1) }).outputs).toHaveLength(1);
  });

  it('resolves the functions of a graph too', () => {
    const signature = create(OpDefSchema, {
      name: 'pick',
      inputArg: [{ name: 'values', typeAttr: 'T', numberAttr: 'N' }],
      outputArg: [{ name: 'picked', type: DT_INT32 }],
      attr: [
        { name: 'T', type: 'type', allowedValues: types(DT_FLOAT, DT_BOOL) },
        { name: 'N', type: 'int', hasMinimum: true, minimum: 1n, defaultValue: int(2) },
      ],
    });
    const def = functionOpDef(signature);
    expect(def.attrs).toMatchObject([{ allowed: ['float', 'bool'] }, { minimum: 1 }]);
    expect(resolveTypes(def, { T: type(DT_BOOL) }).inputs).toHaveLength(2);
  });

  it.each([
    ['a missing attr', {}, "NodeDef missing attr 'N' from Op<name=AddN; "],
    ['a number below the minimum', { N: int(0) }, "Value for attr 'N' of 0 must be at least minimum 1"],
    [
      'a number that would fill all memory',
      { N: int(2 ** 31 - 1), T: type(DT_FLOAT) },
      'Number of tensors of AddN is too big: N is 2147483647',
    ],
    ['an attr of another kind', { N: bool(true) }, "AttrValue had value with type 'bool' when 'int' expected\n\t for attr 'N'"],
  ])('refuses %s', (_, attrs, message) => {
    const expected = expect.objectContaining({ code: Code.INVALID_ARGUMENT, message: expect.stringContaining(message) });
    expect(() => resolveTypes(op('AddN'), attrs)).toThrow(expected);
  });
});
