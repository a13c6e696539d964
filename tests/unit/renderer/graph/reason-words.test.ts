import { expect, it } from 'vitest';
import { reasonWords } from '../../../../renderer/features/graph/reason-words.ts';

const text = (key: string, slots?: object | null) => `${key} ${JSON.stringify(slots)}`;
const placement = (kind: string) => ({
  ...{ devices: {}, problems: [], unusedPins: [] },
  reasons: { n: 'in words' },
  why: { n: { kind, about: 'v' } },
});

it("says in the window's words why a node is where it is", () => {
  expect(reasonWords({ text }, placement('colocated'), 'n')).toBe('graph.reason.colocated {"about":"v"}');
});

it.each([
  ['a reason that is new to the window', placement('by the moon'), 'n', 'in words'],
  ['a node without a place', placement('requested'), 'other', ''],
  ['no placement', undefined, 'n', ''],
])('says what is there for %s', (_, given, node, words) => {
  expect(reasonWords({ text }, given, node)).toBe(words);
});
