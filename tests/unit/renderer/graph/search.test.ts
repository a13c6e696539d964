import { describe, expect, it } from 'vitest';
import { modelGraph } from '../../../../renderer/features/graph/graph-model.ts';
import { searchNodes } from '../../../../renderer/features/graph/search.ts';
import { graphOf } from './graph-of.ts';

const model = modelGraph(
  graphOf(`
    train/mul_grad/Reshape = Reshape
    mul = Mul @ /job:ps/task:0
    train/mul = Mul @ /job:worker/task:1
    multiply = AddV2
    total = Mul
    (.*) = NoOp
  `),
);
const search = (query: string) =>
  searchNodes(model.nodes.values(), query, (name) => model.nodes.get(name)?.device ?? '').map(({ name }) => name);

describe('searchNodes', () => {
  it('ranks the whole last part of a name first, then its beginning, then the rest of the name, then the op', () => {
    expect(search('mul')).toEqual(['mul', 'train/mul', 'multiply', 'train/mul_grad/Reshape', 'total']);
  });

  it('wants all words, wherever they are', () => {
    expect(search('worker mul')).toEqual(['train/mul']);
    expect(search('mul nothing')).toEqual([]);
  });

  it('takes letters as they are, upper and lower case alike', () => {
    expect(search('RESHAPE')).toEqual(['train/mul_grad/Reshape']);
    expect(search('(.*)')).toEqual(['(.*)']);
  });

  it('finds nothing for an empty query', () => {
    expect(search('  ')).toEqual([]);
  });
});
