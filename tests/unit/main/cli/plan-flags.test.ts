import { describe, expect, it } from 'vitest';
import { count, pinsOf, planOf } from '../../../../main/cli/plan-flags.ts';

describe('the flags of a plan', () => {
  it('say only what they say', () => {
    expect(planOf({})).toEqual({});
    expect(planOf({ interval: '250', watch: ['w', 'loss:0'], traceEvery: '0' })).toEqual({
      interval: 250,
      watch: ['w', 'loss:0'],
      traceEvery: 0,
    });
  });

  it('pin nodes and scopes to devices', () => {
    expect(pinsOf({ pin: ['w=/job:ps/task:0', 'layer/=/gpu:1', 'w=/cpu:0', 'free='] })).toEqual({
      w: '/cpu:0',
      'layer/': '/gpu:1',
      free: '',
    });
  });

  it.each(['w', '=/cpu:0', 'w=ps 0', 'w=/job:ps/task:0=x'])('refuse --pin %j', (pin) => {
    expect(() => pinsOf({ pin: [pin] })).toThrow(`--pin: '${pin}' is not of the form NODE=DEVICE`);
  });

  it.each(['', ' ', '-1', '1.5', 'x', '1e99'])('refuse %j as a number', (text) => {
    expect(() => count('--steps', text)).toThrow(`--steps: '${text}' is no whole number from 0 on`);
  });
});
