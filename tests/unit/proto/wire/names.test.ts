import { describe, expect, it } from 'vitest';
import { formatDeviceName, intersects, mergeDeviceSpecs, parseDeviceName, satisfies, taskOfDevice } from '#proto/wire/device-name.ts';
import { formatRendezvousKey, parseRendezvousKey } from '#proto/wire/rendezvous-key.ts';
import { formatInputName, isValidNodeName, parseInputName } from '#proto/wire/tensor-name.ts';

describe('device names', () => {
  it.each([
    ['/job:ps/replica:0/task:1/device:CPU:0', { job: 'ps', replica: 0, task: 1, type: 'CPU', index: 0 }],
    ['/job:worker/replica:0/task:1/cpu:0', { job: 'worker', replica: 0, task: 1, type: 'CPU', index: 0 }],
    ['/gpu:2', { type: 'GPU', index: 2 }],
    ['/device:GPU', { type: 'GPU' }],
    ['/device:CPU:0/job:ps', { job: 'ps', type: 'CPU', index: 0 }],
    ['/job:*/task:3/device:GPU:*', { task: 3, type: 'GPU' }],
    ['/device:cpu:0', { type: 'cpu', index: 0 }],
    ['', {}],
    ['/', {}],
  ])('parses %s', (text, spec) => {
    expect(parseDeviceName(text)).toEqual(spec);
  });

  it.each(['worker0', '/job:', '/job:1ps', '/task:x', '/cpu', '/job:ps/'])('refuses %s', (text) => {
    expect(parseDeviceName(text)).toBeUndefined();
  });

  it('prints the canonical form', () => {
    expect(formatDeviceName({ index: 0, type: 'CPU', task: 1, job: 'ps' })).toBe('/job:ps/task:1/device:CPU:0');
    expect(formatDeviceName({ type: 'GPU' })).toBe('/device:GPU:*');
  });

  it('merges constraints, and names both sides of a conflict', () => {
    expect(mergeDeviceSpecs({ job: 'ps' }, { task: 1 })).toEqual({ job: 'ps', task: 1 });
    expect(() => mergeDeviceSpecs({ job: 'ps' }, { job: 'worker' }, true)).toThrowError(/incompatible jobs: '\/job:ps' and '\/job:worker'/);
    expect(() => mergeDeviceSpecs({ type: 'CPU' }, { type: 'GPU' })).toThrowError(/incompatible types/);
  });

  it('drops only type and index when soft', () => {
    expect(mergeDeviceSpecs({ task: 1, type: 'CPU', index: 0 }, { type: 'GPU', index: 1 }, true)).toEqual({ task: 1 });
    expect(mergeDeviceSpecs({ type: 'GPU', index: 0 }, { type: 'GPU', index: 1 }, true)).toEqual({ type: 'GPU' });
  });

  it('tells constraints from filters', () => {
    const device = { job: 'ps', replica: 0, task: 0, type: 'CPU', index: 0 };
    expect(satisfies(device, { job: 'ps' })).toBe(true);
    expect(satisfies({ job: 'ps' }, device)).toBe(false);
    expect(intersects({ job: 'ps' }, device)).toBe(true);
    expect(intersects({ job: 'worker' }, device)).toBe(false);
  });

  it('finds the task of a device', () => {
    expect(taskOfDevice('/job:ps/task:1/device:CPU:0')).toBe('/job:ps/replica:0/task:1');
    expect(taskOfDevice('/device:CPU:0')).toBeUndefined();
  });
});

describe('rendezvous keys', () => {
  const text = '/job:ps/replica:0/task:0/device:CPU:0;00c3a1b2d4e5f607;/job:worker/replica:0/task:1/device:CPU:0;edge_12_W/read;0:0';

  it('round-trips the five parts', () => {
    const key = parseRendezvousKey(text);
    expect(key).toMatchObject({ sendIncarnation: 0xc3a1b2d4e5f607n, tensorName: 'edge_12_W/read', frameId: 0n, iteration: 0n });
    expect(formatRendezvousKey(key)).toBe(text);
  });

  it('writes a negative incarnation attr as unsigned', () => {
    const key = { ...parseRendezvousKey(text), sendIncarnation: -1n, frameId: 18186195969791715286n, iteration: 3n };
    expect(formatRendezvousKey(key)).toContain(';ffffffffffffffff;');
    expect(formatRendezvousKey(key)).toMatch(/;18186195969791715286:3$/);
  });

  it.each(['', 'a;b;c;d', `${text};x`, text.replace('00c3a1b2d4e5f607', 'c3a1'), text.replace('0:0', '0')])('refuses %j', (bad) => {
    expect(() => parseRendezvousKey(bad)).toThrowError(/Invalid rendezvous key/);
  });
});

describe('tensor names', () => {
  it.each([
    ['w', { node: 'w', output: 0 }],
    ['w:1', { node: 'w', output: 1 }],
    ['^w', { node: 'w', output: -1 }],
  ])('parses %s', (text, name) => {
    expect(parseInputName(text)).toEqual(name);
    expect(formatInputName(name)).toBe(text);
  });

  it('knows what a client may call a node', () => {
    expect(['a', '.a', 'a/b-c_d.e', 'a>b'].map(isValidNodeName)).toEqual([true, true, true, true]);
    expect(['_a', '', 'a b', 'a:0', '/a'].map(isValidNodeName)).toEqual([false, false, false, false, false]);
  });
});
