import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { type GraphDef, GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import { Graph, parseGraphDef } from '../../../../../main/client/index.ts';
import { attrText } from '../../../../../main/core/programs/attr-texts.ts';
import { graphColumns, nodeDetails } from '../../../../../main/core/programs/graph-columns.ts';

/** `{ node: ['float[2,?]'] }` */
function outputsOf(def: GraphDef): Record<string, readonly string[]> {
  const { names, outputs } = graphColumns(def);
  return Object.fromEntries(names.map((name, i) => [name, outputs[i] ?? []]));
}

describe('graphColumns', () => {
  it('has element k of each column for node k', () => {
    const g = new Graph();
    const [x, sum] = g.device('/job:ps', () => {
      const x = g.placeholder('float', [-1, 3], { name: 'x' });
      return [x, g.reduceSum(x, 1, { name: 'sum' })];
    });
    g.controlDependencies([sum.node], () => g.identity(x, { name: 'after' }));
    const columns = graphColumns(g.toDef());
    const at = (name: string): unknown[] => {
      const k = columns.names.indexOf(name);
      return [columns.ops[k], columns.devices[k], columns.inputs[k], columns.outputs[k]];
    };
    expect(at('x')).toEqual(['Placeholder', '/job:ps', [], ['float[?,3]']]);
    expect(at('sum')).toEqual(['Sum', '/job:ps', ['x', 'sum/reduction_indices'], ['float[?]']]);
    expect(at('after')).toEqual(['Identity', '', ['x', '^sum'], ['float[?,3]']]);
    expect(columns.notes).toEqual([]);
  });

  it('knows shapes as the client library does, also when consumers come before producers', () => {
    const g = new Graph();
    const x = g.constant([[1, 2, 3]]);
    const rows = g.reshape(x, g.stack([g.constant(3n), g.constant(1n)]), { name: 'rows' });
    const [top, bottom] = g.split(g.concat([rows, rows], 0), 2);
    g.matmul(top as typeof x, x, { name: 'product' });
    g.identity(bottom as typeof x);
    const def = g.toDef();
    const expected = Object.fromEntries(
      [...g.nodes.values()].map(({ name, outputs }) => [
        name,
        outputs.map(({ dtype, shape }) => (shape ? `${dtype}[${shape.map((dim) => (dim < 0 ? '?' : dim))}]` : dtype)),
      ]),
    );
    expect(expected).toMatchObject({ rows: ['float[3,1]'], product: ['float[?,3]'] });
    expect(outputsOf(def)).toEqual(expected);
    expect(outputsOf(create(GraphDefSchema, { ...def, node: def.node.toReversed() }))).toEqual(expected);
  });

  it('shows what it can of a graph that is wrong in places', () => {
    const def = parseGraphDef(`
      node { name: "a" op: "NoSuchOp" input: "gone" }
      node { name: "b" op: "Identity" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "c" op: "Identity" }
      node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
      node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "shape" value { shape { dim { size: 3 } } } } }
      node { name: "z" op: "AddV2" input: "x" input: "y" attr { key: "T" value { type: DT_INT32 } } }
    `);
    expect(outputsOf(def)).toEqual({ a: [], b: ['float'], c: [], x: ['int32[2]'], y: ['int32[3]'], z: ['int32'] });
    const { notes } = graphColumns(def);
    expect(notes).toHaveLength(2);
    expect(notes[0]).toMatch(/^c: .*missing attr 'T'/);
    expect(notes[1]).toMatch(/^z: Dimensions must be equal/);
  });

  it('gives the outputs of functions, and leaves the shapes of loops open', () => {
    const def = parseGraphDef(`
      library { function { signature { name: "twice" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } } } }
      node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
      node { name: "f" op: "twice" input: "x" }
      node { name: "m" op: "Merge" input: "f" input: "n" attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } } }
      node { name: "n" op: "NextIteration" input: "m" attr { key: "T" value { type: DT_FLOAT } } }
    `);
    expect(outputsOf(def)).toMatchObject({ f: ['float'], m: ['float', 'int32[]'], n: ['float'] });
  });

  it('takes far less than a second for 10 000 nodes', () => {
    const g = new Graph();
    let x = g.placeholder('float', [-1, 64]);
    while (g.nodes.size < 10_000) x = g.relu(g.add(x, g.constant(1)));
    const def = g.toDef();
    const begin = process.cpuUsage();
    const { outputs } = graphColumns(def);
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(800);
    expect(outputs.at(-1)).toEqual(['float[?,64]']);
  });
});

describe('nodeDetails', () => {
  it('has what is known of one node', () => {
    const g = new Graph();
    const a = g.constant([1, 2, 3, 4, 5, 6, 7, 8], { name: 'a' });
    g.add(a, a, { name: 'sum' });
    g.controlDependencies([a.node], () => g.noOp({ name: 'later' }));
    expect(nodeDetails(g.toDef(), 'a')).toEqual({
      ...{ name: 'a', op: 'Const', device: '', inputs: [], outputs: ['float[8]'], consumers: ['sum', 'later'] },
      summary: 'Const() -> output:dtype',
      attrs: [
        ['dtype', 'float'],
        ['value', 'float[8] 1 2 3 4 5 6 …'],
      ],
    });
    expect(() => nodeDetails(g.toDef(), 'b')).toThrow("no node 'b'");
  });
});

describe('attrText', () => {
  const text = (value: unknown): string => attrText(create(AttrValueSchema, { value } as never));

  it.each([
    [{ case: 'i', value: 2n ** 60n }, '1152921504606846976'],
    [{ case: 'f', value: Math.fround(0.1) }, '0.1'],
    [{ case: 'f', value: Number.NaN }, 'NaN'],
    [{ case: 'b', value: false }, 'false'],
    [{ case: 'type', value: 103 }, 'int32_ref'],
    [{ case: 's', value: new TextEncoder().encode('a "b"\n') }, '"a \\"b\\"\\n"'],
    [{ case: 'shape', value: { dim: [{ size: 2n }, { size: -1n }] } }, '[2,?]'],
    [{ case: 'shape', value: { unknownRank: true } }, '<unknown>'],
    [{ case: 'list', value: { i: [1n, 2n] } }, '[1, 2]'],
    [{ case: 'list', value: { type: [1, 3, 1, 3, 1, 3, 1, 3] } }, '[float, int32, float, int32, float, int32, …]'],
    [{ case: 'list', value: {} }, '[]'],
    [{ case: 'func', value: { name: 'f' } }, 'f'],
    [{ case: 'placeholder', value: 'T' }, '$T'],
    [{ case: undefined }, ''],
    [
      { case: 'tensor', value: { dtype: 7, tensorShape: { dim: [{ size: 1n }] }, stringVal: [new TextEncoder().encode('x')] } },
      'string[1] "x"',
    ],
    [{ case: 'tensor', value: { dtype: 10, tensorShape: {}, boolVal: [true] } }, 'bool[] true'],
    [{ case: 'tensor', value: { dtype: 23, tensorShape: { dim: [{ size: 0n }] } } }, 'uint64[0]'],
    [{ case: 'tensor', value: { dtype: 24, tensorShape: { dim: [{ size: 4n }] } } }, 'float8_e5m2[4]'],
  ])('%o is %s', (value, expected) => expect(text(value)).toBe(expected));

  it('cuts what is long', () => {
    const long = text({ case: 's', value: new TextEncoder().encode('x'.repeat(10_000)) });
    expect(long.length).toBeLessThan(250);
    expect(long.endsWith('…')).toBe(true);
  });
});
