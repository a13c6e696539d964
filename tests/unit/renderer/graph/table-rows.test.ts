import { expect, it } from 'vitest';
import { modelGraph } from '../../../../renderer/features/graph/graph-model.ts';
import { tableRows } from '../../../../renderer/features/graph/table-rows.ts';
import { graphOf } from './graph-of.ts';

const why = (name: string) => (name === 'x' ? 'first of all' : '');
const model = modelGraph(graphOf('add_10 = Add @ /job:worker/task:0\nadd_2 = Add @ /job:ps/task:0\nx = Placeholder'));
const facts = {
  placed: (name: string) => (name === 'x' ? '/job:ps/replica:0/task:0/device:CPU:0' : ''),
  requested: (name: string) => model.nodes.get(name)?.device ?? '',
  isPinned: () => false,
  isMoved: () => false,
  hasProblem: () => false,
};
const names = (how: Partial<Parameters<typeof tableRows>[3]>) =>
  tableRows(model, facts, why, { filter: '', column: 'name', descending: false, ...how }).map(({ name }) => name);

it('sorts names as people count, and devices as people read them', () => {
  expect(names({})).toEqual(['add_2', 'add_10', 'x']);
  expect(names({ descending: true })).toEqual(['x', 'add_10', 'add_2']);
  expect(names({ column: 'device' })).toEqual(['add_2', 'add_10', 'x']);
});

it('filters by words in name, op and device', () => {
  expect(names({ filter: 'ADD worker' })).toEqual(['add_10']);
  expect(names({ filter: 'ps' })).toEqual(['add_2', 'x']);
});

it('says why a node is where it is', () => {
  expect(tableRows(model, facts, why, { filter: 'x', column: 'name', descending: false })).toEqual([
    { name: 'x', op: 'Placeholder', device: '', placed: '/job:ps/replica:0/task:0/device:CPU:0', why: 'first of all' },
  ]);
});
