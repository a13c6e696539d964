import { describe, expect, it } from 'vitest';
import { failurePlace } from '../../../../main/program-host/failure-place.ts';

const module = '/data/programs/sgd.ts';
const failure = (...lines: string[]) =>
  Object.assign(new Error('no'), { stack: ['Error: no at /data/programs/sgd.ts:1:1', ...lines].join('\n') });

describe('the place at which a program failed', () => {
  it.each([
    ['in a call', '    at Object.run (file:///data/programs/sgd.ts:12:9)'],
    ['after a wait', '    at async Object.run (/data/programs/sgd.ts:12:9)'],
    ['at the top of the module', '    at file:///data/programs/sgd.ts:12:9'],
    ['on Windows', '    at run (C:\\data\\programs\\sgd.ts:12:9)'],
  ])('is found %s', (_where, line) => {
    expect(
      failurePlace(failure('    at Graph.add (/dist/client/index.js:4:2)', line, '    at run (/data/programs/sgd.ts:40:1)'), module),
    ).toBe('/data/programs/sgd.ts:12:9');
  });

  it('is none when the program is not in the stack', () => {
    expect(
      failurePlace(failure('    at run (/data/programs/my-sgd.ts:1:1)', '    at run (/dist/client/index.js:4:2)'), module),
    ).toBeUndefined();
    expect(failurePlace('text', module)).toBeUndefined();
  });
});
