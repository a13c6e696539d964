import { describe, expect, it } from 'vitest';
import { makeTensor, zeros } from '#proto/wire/tensor.ts';
import { Graph } from '../../../../main/client/index.ts';
import { ancestors, howToRead } from '../../../../main/program-host/watch/reach.ts';
import { seriesValues } from '../../../../main/program-host/watch/tensor-series.ts';
import { parseWatch, watchedTensor } from '../../../../main/program-host/watch/watch-expression.ts';

describe('what is to be watched', () => {
  it.each([
    ['w', { node: 'w', output: 0 }],
    ['scope/w:1', { node: 'scope/w', output: 1 }],
    ['w[3]', { node: 'w', output: 0, indices: [3] }],
    [' w:2[0, 12] ', { node: 'w', output: 2, indices: [0, 12] }],
    ['a.b-c_d/E', { node: 'a.b-c_d/E', output: 0 }],
  ])('is read from %j', (text, parts) => {
    expect(parseWatch(text)).toEqual({ text: text.trim(), ...parts });
  });

  it.each(['', 'w[', 'w[]', 'w[-1]', 'w[a]', 'w[1,]', 'w:', 'w:x', '^w', '_w', 'w w'])('is not %j', (text) => {
    expect(() => parseWatch(text)).toThrow(/cannot be watched: write NAME/);
  });

  it('is found in a graph: tensors, and variables of both kinds', () => {
    const g = new Graph();
    g.variable('ref', 1);
    g.variable('resource', 1, { resource: true });
    g.split(g.constant([1, 2], { name: 'c' }), 2, 0, { name: 'halves' });
    g.op('NoOp', [], {}, { name: 'nothing' });
    g.op('VarHandleOp', [], { dtype: 'float', shape: [] }, { name: 'unread' });
    const found = (text: string) => watchedTensor(g, parseWatch(text))?.name;
    expect(found('ref')).toBe('ref:0');
    expect(found('resource')).toBe('resource/Read/ReadVariableOp:0');
    expect(found('halves:1')).toBe('halves:1');
    expect(found('elsewhere')).toBeUndefined();
    expect(() => found('halves:2')).toThrow("node 'halves' (Split) has 2 outputs");
    expect(() => found('nothing')).toThrow("node 'nothing' (NoOp) has 0 outputs");
    expect(() => found('unread')).toThrow('no node of the graph reads');
  });
});

describe('how a tensor is read', () => {
  const g = new Graph();
  const x = g.placeholder('float', [], { name: 'x' });
  const w = g.variable('w', 1);
  const [dequeued = x] = g.fifoQueue(1, 'float', { name: 'queue', shapes: [[]] }).dequeue();

  it.each([
    ['a variable', w.handle],
    ['what is computed from variables', g.mul(w, 2)],
    ['whether a variable has a value', w.isInitialized()],
    ['a variable as a resource', g.variable('r', 1, { resource: true }).value()],
    ['what may be fed, but need not', g.placeholderWithDefault(g.constant(1), [])],
  ])('alone: %s', (_, output) => {
    expect(howToRead(output, 'it')).toBe('alone');
  });

  it.each([
    ['what is fed', x],
    ['what is computed from it', g.mul(x, w)],
    ['an update of a variable', w.assignAdd(1)],
    ['what runs after an update', g.controlDependencies([w.assignSub(1)], () => g.constant(1))],
    ['what is taken out of a queue', dequeued],
    ['random numbers, which would be others then', g.randomUniform([1])],
  ])('along with a step of the program: %s', (_, output) => {
    expect(howToRead(output, 'it')).toBe('along');
  });

  it('not at all when the step would fail for it', () => {
    let inside = x;
    g.cond(
      g.greater(x, 0),
      () => {
        inside = g.mul(x, 3);
        return inside;
      },
      () => g.constant(0),
    );
    expect(() => howToRead(inside, 'branch')).toThrow("'branch' cannot be watched");
  });

  it('knows what runs in a step', () => {
    const running = ancestors([g.mul(x, w).node]);
    expect([...running].map(({ name }) => name)).toEqual(expect.arrayContaining(['x', 'w', 'w/read']));
    expect(ancestors([g.mul(x, w).node], new Set([x])).has(x.node)).toBe(false);
  });
});

describe('the series of a tensor', () => {
  const matrix = makeTensor('float', [2, 2], Float32Array.of(1, -2, 3, 6));

  it.each([
    ['a scalar', makeTensor('int32', [], Int32Array.of(7)), [['w', 7]]],
    ['one element in two dimensions', makeTensor('int64', [1, 1], BigInt64Array.of(-7n)), [['w', -7]]],
    ['a bool', makeTensor('bool', [], Uint8Array.of(1)), [['w', 1]]],
    ['none', zeros('float', [0, 3]), []],
    [
      'a matrix',
      matrix,
      [
        ['w (min)', -2],
        ['w (mean)', 2],
        ['w (max)', 6],
      ],
    ],
  ])('of %s', (_, tensor, series) => {
    expect(seriesValues('w', tensor)).toEqual(series);
  });

  it('of one element', () => {
    expect(seriesValues('w[1,0]', matrix, [1, 0])).toEqual([['w[1,0]', 3]]);
    expect(() => seriesValues('w[2,0]', matrix, [2, 0])).toThrow("no element 'w[2,0]': the tensor has shape [2,2]");
    expect(() => seriesValues('w[1]', matrix, [1])).toThrow('shape [2,2]');
  });

  it('shows a NaN among numbers', () => {
    const values = seriesValues('w', makeTensor('float', [3], Float32Array.of(1, Number.NaN, 3)));
    expect(values.map(([, value]) => value)).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });

  it.each([
    [0x3c00, 1],
    [0xc000, -2],
    [0x3555, 0.333251953125],
    [0x0001, 2 ** -24],
    [0x8000, -0],
    [0x7c00, Number.POSITIVE_INFINITY],
    [0xfc00, Number.NEGATIVE_INFINITY],
    [0x7e00, Number.NaN],
    [0x7bff, 65504],
  ])('reads half %i', (bits, value) => {
    expect(seriesValues('w', makeTensor('half', [], Uint16Array.of(bits)))).toEqual([['w', value]]);
  });

  it('reads bfloat16', () => {
    expect(seriesValues('w', makeTensor('bfloat16', [], Uint16Array.of(0xc040)))).toEqual([['w', -3]]);
  });

  it.each([zeros('string', [1]), zeros('complex64', [1])])('refuses what is no number', (tensor) => {
    expect(() => seriesValues('w', tensor)).toThrow(`cannot be plotted: its type is ${tensor.dtype}`);
  });
});
