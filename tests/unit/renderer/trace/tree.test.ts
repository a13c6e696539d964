import { describe, expect, it } from 'vitest';
import type { TraceDevice } from '#proto/ipc/contract.ts';
import { byStart, moveInTree, treeLines, treeText } from '../../../../renderer/features/trace/tree.ts';
import { traceDevice } from './trace-of.ts';

const lanes = [
  traceDevice('/job:ps/replica:0/task:0/device:CPU:0', [
    { name: 'var/read', op: 'Identity', start: 1702.5, end: 1706.5 },
    { name: 'var', op: 'VariableV2', start: 3, end: 5 },
  ]),
  traceDevice('/job:worker/replica:0/task:0/device:CPU:0', [
    {
      name: 'RecvTensor',
      op: 'RecvTensor',
      inputs: ['edge_1_var/read'],
      start: 1710,
      end: 1750,
      bytes: 4,
      from: '/job:ps/replica:0/task:0/device:CPU:0',
    },
  ]),
];
const orders = lanes.map(byStart);

describe('the tree of a trace', () => {
  it('has the nodes of each device by their start', () => {
    expect(treeLines(orders, new Set())).toEqual([
      { kind: 'device', lane: 0, count: 2, open: true },
      { kind: 'node', lane: 0, slice: 1 },
      { kind: 'node', lane: 0, slice: 0 },
      { kind: 'device', lane: 1, count: 1, open: true },
      { kind: 'node', lane: 1, slice: 0 },
    ]);
  });

  it('hides the nodes of a closed device', () => {
    expect(treeLines(orders, new Set([0, 1])).map(({ kind }) => kind)).toEqual(['device', 'device']);
  });

  it('shows only what a search found', () => {
    const found = [new Set([0]), new Set<number>()];
    expect(treeLines(orders, new Set(), found)).toEqual([
      { kind: 'device', lane: 0, count: 1, open: true },
      { kind: 'node', lane: 0, slice: 0 },
    ]);
  });

  it('is walked as trees are everywhere', () => {
    const lines = treeLines(orders, new Set([1]));
    const go = (at: number, key: string) => moveInTree(lines, at, key, 10);
    expect([go(0, 'ArrowDown'), go(0, 'ArrowUp'), go(0, 'End'), go(3, 'PageUp')].map((move) => move?.to)).toEqual([1, 0, 3, 0]);
    expect([go(0, 'ArrowRight'), go(3, 'ArrowRight'), go(2, 'ArrowLeft'), go(0, 'ArrowLeft')]).toEqual([
      { to: 1, choose: false },
      { to: 3, choose: true },
      { to: 0, choose: false },
      { to: 0, choose: true },
    ]);
    expect([go(1, 'Enter'), go(1, 'x')]).toEqual([{ to: 1, choose: true }, undefined]);
  });

  it('reads as the tutorials print it', () => {
    const noteOf = ({ from }: TraceDevice) => (from.some((sender) => sender !== '') ? 'Clock 2 s fast' : '');
    expect(treeText(lanes, noteOf).replaceAll('\u202f', ' ').split('\n')).toEqual([
      '/job:ps/replica:0/task:0/device:CPU:0',
      '   var (VariableV2) 3 µs +2 µs',
      '   var/read (Identity) 1 702.5 µs +4 µs',
      '/job:worker/replica:0/task:0/device:CPU:0 · Clock 2 s fast',
      '   var/read (RecvTensor) 1 710 µs +40 µs, 4 bytes from /job:ps/replica:0/task:0/device:CPU:0',
    ]);
  });
});
