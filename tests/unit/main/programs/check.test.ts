import { describe, expect, it } from 'vitest';
import type { Outcome, Outcomes } from '../../../../main/client/index.ts';
import { differences, numberIn, textsIn, unmet } from '../../../../main/programs/check.ts';

const outcomes = (outcome: Outcome): Outcomes => new Map([['client', outcome]]);

describe('differences', () => {
  it('finds none between equal numbers, texts and lists, whatever else there is', () => {
    const got = outcomes({ count: 3, text: 'a', list: [1, 2], more: 9 });
    expect(differences(got, { client: { count: 3, text: 'a', list: [1, 2] } })).toEqual([]);
  });

  it('allows numbers to be off by the tolerance, in lists too', () => {
    const got = outcomes({ weight: 0.1005, list: [1.001] });
    expect(differences(got, { client: { weight: 0.1, list: [1] } }, 0.01)).toEqual([]);
    expect(differences(got, { client: { weight: 0.1 } }, 0.0001)).toEqual(['client: weight is 0.1005, but must be 0.1 (within 0.0001)']);
  });

  it('takes any device of a task for right where the task is wanted', () => {
    const got = outcomes({ placed: '/job:a/replica:0/task:1/device:GPU:0' });
    expect(differences(got, { client: { placed: '/job:a/replica:0/task:1' } })).toEqual([]);
    expect(differences(got, { client: { placed: '/job:a/replica:0/task:1/device:GPU:0' } })).toEqual([]);
    expect(differences(got, { client: { placed: '/job:a/replica:0/task:1/device:CPU:0' } })).toHaveLength(1);
    expect(differences(got, { client: { placed: '/job:a/replica:0/task:10' } })).toHaveLength(1);
  });

  it.each([
    ['another text', { it: 'b' }, { it: 'a' }],
    ['a list that is too long', { it: [1, 2] }, { it: [1] }],
    ['a list that is too short', { it: [] }, { it: [1] }],
    ['a number for a text', { it: 1 }, { it: '1' }],
    ['not a number', { it: Number.NaN }, { it: 1 }],
  ])('reports %s', (_, got, wanted) => {
    expect(differences(outcomes(got), { client: wanted }, 0.5)).toHaveLength(1);
  });

  it('reports what is missing', () => {
    expect(differences(outcomes({}), { client: { weight: 1 } })).toEqual(['client: weight is missing, but must be 1']);
    expect(differences(new Map(), { client: { weight: 1 } })).toEqual(['client: no outcome']);
  });
});

it('unmet gives the sentences that do not hold', () => {
  expect(unmet({ 'one is one': true, 'one is two': false })).toEqual(['Not so: one is two']);
});

it('a number that was not handed back fulfils no requirement', () => {
  expect(numberIn(outcomes({ speed: 3 }), 'speed')).toBe(3);
  expect(numberIn(outcomes({ speed: 'high' }), 'speed')).toBeNaN();
  expect(numberIn(new Map(), 'speed')).toBeNaN();
});

it('texts are those that were handed back, one or several, and say something', () => {
  expect(textsIn(outcomes({ it: 'a' }), 'it')).toEqual(['a']);
  expect(textsIn(outcomes({ it: ['a', '', 'b'] }), 'it')).toEqual(['a', 'b']);
  expect(textsIn(outcomes({ it: 3 }), 'it')).toEqual([]);
  expect(textsIn(new Map(), 'it')).toEqual([]);
});
