import { describe, expect, it } from 'vitest';
import { commandOf } from '../../../../renderer/plots/timeline/keys.ts';
import { consumersOf, linkNodes, producerOf } from '../../../../renderer/plots/timeline/links.ts';
import { findArrows, titleOf } from '../../../../renderer/plots/timeline/transfers.ts';
import { laneOf } from './lanes-of.ts';

const ps = laneOf('ps', [
  { name: 'var', op: 'VariableV2', start: 0, end: 1 },
  { name: 'var/read', op: 'Identity', start: 1, end: 2, inputs: ['var'] },
]);
const worker = laneOf('worker', [
  { name: 'RecvTensor', op: 'RecvTensor', start: 2, end: 6, from: 'ps', inputs: ['edge_4_var/read'] },
  { name: 'Mul', op: 'Mul', start: 6, end: 9, inputs: ['var/read/_3', '^init', 'x:1'] },
]);
const lanes = [ps, worker];
const links = linkNodes(lanes);
const arrows = findArrows(lanes);

describe('links between nodes', () => {
  it('lead from an input to what made it, on the same device where possible', () => {
    expect(producerOf(links, 'var', { lane: 0, slice: 1 })).toEqual({ lane: 0, slice: 0 });
    expect(producerOf(links, 'var/read/_3', { lane: 1, slice: 1 })).toEqual({ lane: 1, slice: 0 });
    expect(producerOf(links, 'x:1', { lane: 1, slice: 1 })).toBeUndefined();
  });

  it('lead from a node to its readers and to the devices that it was sent to', () => {
    expect(consumersOf(links, arrows, 'var', { lane: 0, slice: 0 })).toEqual([{ lane: 0, slice: 1 }]);
    expect(consumersOf(links, arrows, 'var/read', { lane: 0, slice: 1 })).toEqual([{ lane: 1, slice: 0 }]);
  });

  it('call a transfer by the node whose tensor it brings', () => {
    expect([titleOf(worker, 0), titleOf(worker, 1)]).toEqual(['var/read', 'Mul']);
  });
});

describe('keys of the timeline', () => {
  const press = (key: string, isSelected = false, ctrlKey = false) =>
    commandOf({ key, ctrlKey, metaKey: false, altKey: false }, isSelected);

  it('zoom and move as in other trace viewers, whatever the case', () => {
    expect(['w', 'S', 'a', 'D', '+', '-', '0'].map((key) => press(key))).toEqual([
      'zoomIn',
      'zoomOut',
      'panLeft',
      'panRight',
      'zoomIn',
      'zoomOut',
      'fit',
    ]);
  });

  it('walk from node to node once one is selected', () => {
    expect(['ArrowLeft', 'ArrowRight', 'ArrowDown', 'f', 'Escape'].map((key) => press(key, true))).toEqual([
      'previous',
      'next',
      'down',
      'focus',
      'clear',
    ]);
    expect(['ArrowLeft', 'ArrowDown', 'Enter', 'f'].map((key) => press(key))).toEqual(['panLeft', 'scrollDown', 'selectFirst', undefined]);
  });

  it('leave the shortcuts of the app alone', () => {
    expect(press('a', false, true)).toBeUndefined();
  });
});
