import { describe, expect, it } from 'vitest';
import { fillMessage, pseudoMessage } from '../../../../renderer/locales/message.ts';

const style = { plural: new Intl.PluralRules('en'), number: new Intl.NumberFormat('en') };

describe('fillMessage', () => {
  it('puts names and numbers in their places', () => {
    expect(fillMessage('{name}: {count} of {count}', { name: 'var', count: 1200 }, style)).toBe('var: 1,200 of 1,200');
  });

  it.each([
    [0, '0 steps'],
    [1, '1 step'],
    [2, '2 steps'],
  ])('chooses the form for %d', (count, text) => {
    expect(fillMessage('{count} {count|step|steps}', { count }, style)).toBe(text);
  });
});

describe('pseudoMessage', () => {
  it('is longer and in brackets, and keeps its slots', () => {
    expect(pseudoMessage('Stop {title}')).toBe('⟦Štöp {title}····⟧');
  });
});
