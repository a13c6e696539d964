import { expect, it } from 'vitest';
import { axisOf, groupingOf, oneAxis, ownAxis, shareAxis } from '../../../../renderer/features/runs/axes.ts';

const names = ['a', 'b', 'c'];
const keys = (axes: Parameters<typeof axisOf>[0]) => names.map((name) => axisOf(axes, name));

it('puts names on one axis, and takes them off again', () => {
  const shared = shareAxis({}, ['b'], 'a');
  expect(keys(shared)).toEqual(['a', 'a', 'c']);
  expect(keys(ownAxis(shared, 'b'))).toEqual(['a', 'b', 'c']);
});

it('leaves the others together when the one that gave the axis its key goes', () => {
  const [a, b, c] = keys(ownAxis(oneAxis(names), 'a'));
  expect(b).toBe(c);
  expect(a).not.toBe(b);
});

it('moves a name on when it was on another axis', () => {
  expect(keys(shareAxis(shareAxis({}, ['a'], 'b'), ['a'], 'c'))).toEqual(['c', 'b', 'c']);
});

it('says how names are grouped', () => {
  expect(groupingOf({}, names)).toBe('byName');
  expect(groupingOf(oneAxis(names), names)).toBe('together');
  expect(groupingOf({ a: 'b' }, names)).toBe('arranged');
});
