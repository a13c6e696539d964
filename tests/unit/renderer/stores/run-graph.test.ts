import { expect, it } from 'vitest';
import { graphChoices, initializersOf, parseWatch } from '../../../../renderer/stores/run-graph.ts';

const view = {
  names: ['x', 'w', 'split', 'v', 'init', 'scope/init_1', 'initial'],
  ops: ['Placeholder', 'VariableV2', 'Split', 'VarHandleOp', 'NoOp', 'NoOp', 'NoOp'],
  outputs: [['float[?,2]'], ['float_ref[2]'], ['float[1]', 'float[1]'], ['resource[]'], [], [], []],
};

it('finds variables, placeholders and all that can be fetched', () => {
  const { variables, placeholders, tensors, nodes } = graphChoices(view);
  expect(variables).toEqual(['w', 'v']);
  expect(placeholders).toEqual([{ tensor: 'x', op: 'Placeholder', type: 'float[?,2]' }]);
  expect(tensors).toEqual(['x', 'w', 'split', 'split:1', 'v']);
  expect(nodes).toEqual(view.names);
});

it('finds the initializers by how they are named', () => {
  expect(initializersOf(view)).toEqual(['init', 'scope/init_1']);
});

it.each([
  ['w', 'w'],
  ['layer/w:1', 'layer/w'],
  ['w[3]', 'w'],
  ['w[0, 2]', 'w'],
  ['w:0[1]', 'w'],
  ['w[', undefined],
  ['w[-1]', undefined],
  ['w x', undefined],
  ['', undefined],
])('reads %j as an element or a tensor of %j', (text, node) => {
  expect(parseWatch(text)?.node).toBe(node);
});
