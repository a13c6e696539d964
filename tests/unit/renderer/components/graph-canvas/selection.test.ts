import { expect, it } from 'vitest';
import { changedSelection } from '../../../../../renderer/components/graph-canvas/selection.ts';

it('has the newest last, and tells nothing when nothing has changed', () => {
  expect(changedSelection(['b', 'a'], ['a', 'c', 'b'])).toEqual(['b', 'a', 'c']);
  expect(changedSelection(['b', 'a'], ['a'])).toEqual(['a']);
  expect(changedSelection(['b', 'a'], ['a', 'b'])).toBeUndefined();
  expect(changedSelection([], [])).toBeUndefined();
});
