import { describe, expect, it } from 'vitest';
import { readHostPrograms } from '../../../../main/core/host-options.ts';

describe('what a host wants of its core', () => {
  it('is nothing by default', () => expect(readHostPrograms([])).toEqual([]));

  it('may be programs', () => {
    const programs = [{ path: '/host/train.ts', title: 'Train' }];
    expect(readHostPrograms(['--host-programs', JSON.stringify(programs)])).toEqual(programs);
  });

  it.each([
    ['{}', 'programs must be a list'],
    ['[{"path":"train.ts","title":"Train"}]', "programs[0].path must be a whole path, not 'train.ts'"],
    ['[{"path":"/train.ts"}]', 'programs[0].title must be a text'],
  ])('is checked: %s', (json, message) => expect(() => readHostPrograms(['--host-programs', json])).toThrow(message));
});
