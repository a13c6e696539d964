import { describe, expect, it } from 'vitest';
import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { withDefaults } from '#proto/ops/defaults.ts';
import { summarizeOp } from '#proto/ops/op-summary.ts';
import { validateNode } from '#proto/ops/validate-node.ts';
import { Code, StatusError } from '#proto/wire/status.ts';
import { int, ints, op, placeholder, text, type, types } from './op-attrs.ts';

const T = type(DataType.DT_FLOAT);

interface Case {
  name: string;
  op: string;
  input: string[];
  attr: Record<string, AttrValue>;
  error: string;
  /** How TensorFlow appends node and op. */
  tail?: 'spelled out';
}

/** Texts as TensorFlow 2.21 gives them. */
const cases: Case[] = [
  {
    name: 'type not allowed',
    op: 'MatMul',
    input: ['a', 'b'],
    attr: { T: type(DataType.DT_STRING) },
    error:
      "Value for attr 'T' of string is not in the list of allowed values: bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128",
  },
  {
    name: 'text not allowed',
    op: 'Conv2D',
    input: ['a', 'b'],
    attr: { T, strides: ints(1, 1, 1, 1), padding: text('WIDE') },
    error: 'Value for attr \'padding\' of "WIDE" is not in the list of allowed values: "SAME", "VALID", "EXPLICIT"',
  },
  {
    name: 'reference type',
    op: 'MatMul',
    input: ['a', 'b'],
    attr: { T: type(DataType.DT_FLOAT_REF) },
    error: "AttrValue must not have reference type value of float_ref\n\t for attr 'T'",
  },
  {
    name: 'no type',
    op: 'MatMul',
    input: ['a', 'b'],
    attr: { T: type(DataType.DT_INVALID) },
    error: "AttrValue has invalid DataType\n\t for attr 'T'",
  },
  {
    name: 'no type in a list',
    op: 'Barrier',
    input: [],
    attr: { component_types: types(DataType.DT_INVALID) },
    error: "AttrValue contains invalid DataType\n\t for attr 'component_types'",
  },
  {
    name: 'other kind',
    op: 'MatMul',
    input: ['a', 'b'],
    attr: { T: int(3) },
    error: "AttrValue had value with type 'int' when 'type' expected\n\t for attr 'T'",
  },
  {
    name: 'other kind of list',
    op: 'IdentityN',
    input: ['a'],
    attr: { T: ints(1) },
    error: "AttrValue had value with type 'list(int)' when 'list(type)' expected\n\t for attr 'T'",
  },
  {
    name: 'no value',
    op: 'MatMul',
    input: ['a', 'b'],
    attr: { T: { $typeName: 'tensorflow.AttrValue', value: { case: undefined } } },
    error: "AttrValue missing value with expected type 'type'\n\t for attr 'T'",
  },
  { name: 'number too small', op: 'AddN', input: [], attr: { T, N: int(0) }, error: "Value for attr 'N' of 0 must be at least minimum 1" },
  {
    name: 'list too short',
    op: 'IdentityN',
    input: [],
    attr: { T: types() },
    error: "Length for attr 'T' of 0 must be at least minimum 1",
  },
  { name: 'attr missing', op: 'MatMul', input: ['a', 'b'], attr: {}, error: "NodeDef missing attr 'T' from OP; NODE", tail: 'spelled out' },
  {
    name: 'inputs missing',
    op: 'Assign',
    input: ['a', '^b'],
    attr: { T },
    error: "NodeDef expected inputs 'float_ref, float' do not match 1 inputs specified; OP; NODE",
    tail: 'spelled out',
  },
];

describe('validateNode', () => {
  it.each(cases)('refuses $name', (node) => {
    const def = op(node.op);
    const error = node.tail ? node.error : `${node.error}\n\t; NODE; OP`;
    const message = error.replace('NODE', 'NodeDef: {{node n}}').replace('OP', summarizeOp(def));
    const validate = (): void => validateNode(def, { name: 'n', input: node.input, attr: withDefaults(def, node.attr) });
    expect(validate).toThrow(new StatusError(Code.INVALID_ARGUMENT, message));
  });

  it('lets unknown attrs and placeholders pass', () => {
    const def = op('MatMul');
    const attr = withDefaults(def, { T: placeholder('T'), from_the_future: int(1), _note: int(2) });
    expect(() => validateNode(def, { name: 'n', input: ['a', 'b'], attr })).not.toThrow();
  });
});
