import { create, equals } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { ConfigProtoSchema } from '#proto/generated/tensorflow/config_pb.ts';
import { GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import { TensorProtoSchema } from '#proto/generated/tensorflow/tensor_pb.ts';
import { formatGraphDef, Graph, parseGraphDef } from '../../../../main/client/index.ts';
import { parseText } from '../../../../main/client/textproto/parse.ts';
import { printText } from '../../../../main/client/textproto/print.ts';

describe('text format', () => {
  it('prints a graph as TensorFlow does', () => {
    const g = new Graph();
    g.device('/job:ps/task:0', () => g.constant([1.5, -2], { name: 'c' }));
    expect(formatGraphDef(g.toDef())).toBe(
      [
        'node {',
        '  name: "c"',
        '  op: "Const"',
        '  device: "/job:ps/task:0"',
        '  attr {',
        '    key: "dtype"',
        '    value {',
        '      type: DT_FLOAT',
        '    }',
        '  }',
        '  attr {',
        '    key: "value"',
        '    value {',
        '      tensor {',
        '        dtype: DT_FLOAT',
        '        tensor_shape {',
        '          dim {',
        '            size: 2',
        '          }',
        '        }',
        '        tensor_content: "\\000\\000\\300?\\000\\000\\000\\300"',
        '      }',
        '    }',
        '  }',
        '}',
        'versions {',
        '  producer: 134',
        '}',
        '',
      ].join('\n'),
    );
  });

  it('reads back what it prints', () => {
    const g = new Graph();
    const w = g.variable('w', g.randomUniform([2, 2]));
    g.constant(['a"b', 'ü\n', '\u0000']);
    g.gradients(g.reduceSum(g.matmul(w, w)), [w]);
    const def = g.toDef();
    expect(equals(GraphDefSchema, parseGraphDef(formatGraphDef(def)), def)).toBe(true);
  });

  it('reads what people and other tools write', () => {
    const text = `# a comment
      device_count { key: 'CPU' value: 4 }, device_count < key: "GPU" >;
      device_filters: ["/job:ps", '/job:' "worker"]
      allow_soft_placement: True  operation_timeout_in_ms: 0x10
      graph_options: { rewrite_options { constant_folding: OFF } }`;
    const config = parseText(ConfigProtoSchema, text);
    expect(config).toMatchObject({
      deviceCount: { CPU: 4, GPU: 0 },
      deviceFilters: ['/job:ps', '/job:worker'],
      allowSoftPlacement: true,
      operationTimeoutInMs: 16n,
      graphOptions: { rewriteOptions: { constantFolding: 2 } },
    });
  });

  it.each([
    [0.1, '0.1'],
    [1e-8, '1e-8'],
    [16777216, '16777216'],
    [-1.22474492, '-1.2247449'],
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NaN, 'nan'],
  ])('prints the 32-bit float %s as %s', (value, text) => {
    const printed = printText(TensorProtoSchema, create(TensorProtoSchema, { floatVal: [Math.fround(value)] }));
    expect(printed).toBe(`float_val: ${text}\n`);
    expect(parseText(TensorProtoSchema, printed).floatVal).toEqual([Math.fround(value)]);
  });

  it.each([
    ['node {', 'Line 1, column 7: expected a field of tensorflow.NodeDef, found the end'],
    ['node {\n  nam: "x"\n}', "Line 2, column 3: expected a field of tensorflow.NodeDef, found 'nam'"],
    ['versions { producer: x }', "Line 1, column 22: expected a value of type int32, found 'x'"],
    ['node { name: "\\q" }', 'Line 1, column 14: bad escape in a string'],
    ['?', 'Line 1, column 1: unexpected character'],
  ])('refuses %j', (text, message) => {
    expect(() => parseGraphDef(text)).toThrow(message);
  });
});
