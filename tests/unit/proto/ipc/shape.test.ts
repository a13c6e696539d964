import { describe, expect, it } from 'vitest';
import { argumentShapes } from '#proto/ipc/arguments.ts';

describe('arguments of calls', () => {
  it.each([
    ['runs.get', { run: '../../etc' }, /runs\.get\.run cannot be '\.\.\/\.\.\/etc'/],
    ['runs.get', { run: '.hidden' }, /cannot be/],
    ['runs.get', null, /runs\.get must be an object, not null/],
    ['runs.logs', { run: 'a', from: -1 }, /whole number from 0/],
    ['runs.logs', { run: 'a', from: 1.5 }, /whole number/],
    ['runs.rename', { run: 'a', title: 'x'.repeat(201), note: '' }, /longer than 200/],
    ['settings.set', { theme: 'pink' }, /one of system, light, dark, not pink/],
    ['runs.import', { name: 'x', content: 'text' }, /must be bytes/],
    ['clusters.save', { title: 't', jobs: [{ name: 'a b', tasks: [] }] }, /jobs\[0\]\.name cannot be 'a b'/],
    ['clusters.disturbTask', { cluster: 'a', task: 't', how: 'explode' }, /one of kill, pause, resume/],
    ['clusters.setGateway', { cluster: 'a', open: 'yes' }, /clusters\.setGateway\.open must be/],
  ] as const)('%s refuses %j', (name, argument, message) => {
    expect(() => argumentShapes[name](argument, name)).toThrow(message);
  });

  it('leave out fields that nobody expects', () => {
    expect(argumentShapes['runs.start']({ program: 'p', evil: 1 }, 'x')).toEqual({ program: 'p' });
    expect(argumentShapes['settings.set']({ theme: 'dark', language: undefined }, 'x')).toEqual({ theme: 'dark' });
  });
});
