import { describe, expect, it } from 'vitest';
import { modelGraph } from '../../../../renderer/features/graph/graph-model.ts';
import { checkDevice, differs, isThere, pinKeys, pinOf, pinText, withPins } from '../../../../renderer/features/graph/pins.ts';
import { graphOf } from './graph-of.ts';

const model = modelGraph(graphOf('w = VariableV2\nw/read = Identity(w)\na/b/c = Const'));
const known = [
  '/job:ps/replica:0/task:0/device:CPU:0',
  '/job:worker/replica:0/task:1/device:CPU:0',
  '/job:worker/replica:0/task:1/device:GPU:0',
];

describe('pins', () => {
  it('count by the longest name', () => {
    const pins = { 'a/': '/job:ps', 'a/b/': '/job:worker', w: '/job:ps/task:0' };
    expect(pinOf(pins, 'a/b/c')).toEqual({ key: 'a/b/', device: '/job:worker' });
    expect(pinOf(pins, 'a/b/')).toEqual({ key: 'a/b/', device: '/job:worker' });
    expect(pinOf(pins, 'a/x')).toEqual({ key: 'a/', device: '/job:ps' });
    expect(pinOf(pins, 'w/read')).toBeUndefined();
  });

  it('of a scope hold for the node of its name too', () => {
    expect(pinKeys(model, ['w/', 'a/b/'])).toEqual(['w/', 'w', 'a/b/']);
  });

  it('are set, changed and removed together', () => {
    const pins = withPins({ other: '/job:ps' }, ['a', 'b'], '/job:worker');
    expect(pins).toEqual({ other: '/job:ps', a: '/job:worker', b: '/job:worker' });
    expect(withPins(pins, ['a', 'other'], undefined)).toEqual({ b: '/job:worker' });
  });
});

describe('checkDevice', () => {
  it.each([
    ['/job:worker/task:1', { ok: true, device: '/job:worker/task:1' }],
    [' /job:worker/task:1/gpu:0 ', { ok: true, device: '/job:worker/task:1/device:GPU:0' }],
    ['/job:worker', { ok: true, device: '/job:worker' }],
    ['/job:worker/task:7', { ok: false, reason: 'missing' }],
    ['worker 1', { ok: false, reason: 'syntax' }],
    ['/', { ok: false, reason: 'syntax' }],
    ['', { ok: false, reason: 'empty' }],
  ])('says what %j is', (text, expected) => {
    expect(checkDevice(text, known)).toEqual(expected);
  });

  it('knows a device that is there by any part of its name', () => {
    expect(isThere('/gpu:0', known)).toBe(true);
    expect(isThere('/job:ps/gpu:0', known)).toBe(false);
    expect(isThere('nonsense', known)).toBe(false);
  });
});

describe('pinText', () => {
  it('names the task alone where it has one device only', () => {
    expect(known.map((device) => pinText(device, known))).toEqual([
      '/job:ps/task:0',
      '/job:worker/task:1/device:CPU:0',
      '/job:worker/task:1/device:GPU:0',
    ]);
  });
});

describe('differs', () => {
  it('compares what was asked for with where it is', () => {
    expect(differs('/job:ps/replica:0/task:0/device:CPU:0', '/job:ps/task:0')).toBe(false);
    expect(differs('/job:ps/replica:0/task:0/device:CPU:0', '/job:ps/task:0/gpu:0')).toBe(true);
    expect(differs('', '/job:ps')).toBe(false);
    expect(differs('/job:ps/replica:0/task:0/device:CPU:0', '')).toBe(false);
  });
});
