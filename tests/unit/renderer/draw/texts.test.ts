import { describe, expect, it } from 'vitest';
import { problemText, problemTexts } from '#proto/graph-document/problem.ts';
import type { AttrDef } from '#proto/ops/op-def.ts';
import { opDef } from '#proto/ops/registry.ts';
import { devicesOf } from '../../../../renderer/features/draw/devices.ts';
import {
  attrProblem,
  attrsOf,
  attrText,
  defaultText,
  editorOf,
  parseAttr,
} from '../../../../renderer/features/draw/inspector/attr-text.ts';
import { clusterText, parseCluster } from '../../../../renderer/features/draw/inspector/cluster-text.ts';
import { catalogues } from '../../../../renderer/locales/catalogues.ts';

it('problems read the same in the window and in errors of the core', () => {
  const texts = catalogues.en as Readonly<Record<string, string>>;
  expect(Object.fromEntries(Object.keys(problemTexts).map((code) => [code, texts[`draw.problem.${code}`]]))).toEqual(problemTexts);
});

it('a problem counts in words', () => {
  const values = { node: 'a', input: 'b:1', slot: 'x', source: 'b', outputs: 1 };
  expect(problemText({ code: 'noOutput', node: 'a', values })).toMatch(/b has 1 output$/);
  expect(problemText({ code: 'noOutput', node: 'a', values: { ...values, outputs: 2 } })).toMatch(/b has 2 outputs$/);
});

describe('a cluster as a text', () => {
  it.each([
    ['ps 1, worker 2', { ps: 1, worker: 2 }],
    ['canshu×2; gongzuo:3', { canshu: 2, gongzuo: 3 }],
    ['local', { local: 1 }],
    ['', {}],
  ])('%s', (text, cluster) => {
    expect(parseCluster(text)).toEqual(cluster);
    expect(parseCluster(clusterText(cluster))).toEqual(cluster);
  });

  it.each(['2 ps', 'ps 0', 'ps 1, ps 2', 'ps -1', 'ps 100000', 'my job 1'])('%s is none', (text) => {
    expect(parseCluster(text)).toBeUndefined();
  });
});

it('the devices of a cluster are its tasks and their cards', () => {
  expect(devicesOf({ cluster: { ps: 1, worker: 1 }, virtualGpus: 1 })).toEqual([
    '/job:ps/task:0',
    '/job:worker/task:0',
    '/job:ps/task:0/device:GPU:0',
    '/job:worker/task:0/device:GPU:0',
    '/device:GPU:0',
  ]);
});

describe('an attr', () => {
  const attr = (op: string, name: string): AttrDef => opDef(op)?.attrs.find((each) => each.name === name) ?? expect.unreachable(name);

  it.each([
    ['Conv2D', 'strides', '[1, 2, 2, 1]', [1, 2, 2, 1]],
    ['Conv2D', 'padding', 'SAME', 'SAME'],
    ['Cast', 'DstT', 'int64', 'int64'],
    ['Placeholder', 'shape', '[-1, 2]', [-1, 2]],
    ['Placeholder', 'shape', 'null', null],
    ['LeakyRelu', 'alpha', '0.5', 0.5],
    ['FIFOQueueV2', 'component_types', '["float", "int32"]', ['float', 'int32']],
    ['FIFOQueueV2', 'capacity', '', undefined],
  ])('%s.%s takes %s', (op, name, text, value) => {
    expect(attrProblem(attr(op, name), text)).toBeUndefined();
    expect(parseAttr(attr(op, name), text)).toEqual(value);
    if (value !== undefined) expect(parseAttr(attr(op, name), attrText(value))).toEqual(value);
  });

  it.each([
    ['Conv2D', 'strides', '[1, 2', /JSON|Expected/],
    ['Conv2D', 'strides', '7', /a list is wanted/],
    ['Conv2D', 'padding', 'WIDE', /not in the list of allowed values/],
    ['FIFOQueueV2', 'capacity', '1.5', /1.5 is no int/],
    ['FIFOQueueV2', 'component_types', '[]', /at least minimum 1/],
    ['LeakyRelu', 'T', 'int32', /not in the list of allowed values/],
  ])('%s.%s refuses %s', (op, name, text, reason) => {
    expect(attrProblem(attr(op, name), text)).toMatch(reason);
  });

  it('is chosen from a list where there is one', () => {
    expect(editorOf(attr('MatMul', 'transpose_a'))).toEqual({ kind: 'choice', options: ['true', 'false'] });
    expect(editorOf(attr('Conv2D', 'padding'))).toMatchObject({ kind: 'choice' });
    expect(editorOf(attr('Cast', 'DstT'))).toEqual({ kind: 'text' });
  });

  it('shows its default, and comes last when it follows from the inputs', () => {
    expect(defaultText(attr('MatMul', 'transpose_a'))).toBe('false');
    const def = opDef('MatMul') ?? expect.unreachable();
    expect(attrsOf(def).at(-1)).toMatchObject({ def: { name: 'T' }, follows: true });
  });
});
