import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { NodeDefSchema } from '#proto/generated/tensorflow/node_def_pb.ts';
import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { stripDefaults, withDefaults } from '#proto/ops/defaults.ts';
import { opDef, opNames } from '#proto/ops/registry.ts';
import { bool, ints, op, text, type } from './op-attrs.ts';

describe('withDefaults', () => {
  it('fills in what is missing and leaves the rest alone', () => {
    const attrs = { T: type(DataType.DT_FLOAT), transpose_b: bool(true), _class: text('loc:@W') };
    const filled = withDefaults(op('MatMul'), attrs);
    expect(filled).toMatchObject({ ...attrs, transpose_a: bool(false), grad_a: bool(false), grad_b: bool(false) });
    expect(Object.keys(attrs)).toHaveLength(3);
  });
});

describe('stripDefaults', () => {
  it('drops exactly the attrs that equal the default', () => {
    const attrs = { T: type(DataType.DT_FLOAT), dilations: ints(1, 1, 1, 1), data_format: text('NCHW'), _class: text('loc:@W') };
    const { dilations: _, ...rest } = attrs;
    expect(stripDefaults(op('Conv2D'), attrs)).toEqual(rest);
  });

  it('tells lists of different length apart', () => {
    expect(stripDefaults(op('Conv2D'), { dilations: ints(1, 1) })).toHaveProperty('dilations');
    expect(stripDefaults(op('Conv2D'), { explicit_paddings: ints() })).toEqual({});
  });
});

it('defaults of all ops equal themselves after a trip over the wire', () => {
  for (const name of opNames()) {
    const def = opDef(name);
    if (!def) continue;
    const node = create(NodeDefSchema, { attr: withDefaults(def, {}) });
    const received = fromBinary(NodeDefSchema, toBinary(NodeDefSchema, node));
    expect(stripDefaults(def, received.attr), name).toEqual({});
  }
});
