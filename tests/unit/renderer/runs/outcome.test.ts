import { expect, it } from 'vitest';
import { outcomeRows } from '../../../../renderer/features/runs/outcome.ts';

it('shows numbers, texts and lists, and not all of a long list', () => {
  const rows = outcomeRows({ var: 10, text: 'Hello', devices: ['a', 'b'], long: Array.from({ length: 100 }, (_, at) => at) });
  expect(rows.map(({ value }) => value)).toEqual(['10', 'Hello', 'a, b', '0, 1, 2, 3, 4, 5, 6, 7, …']);
});
