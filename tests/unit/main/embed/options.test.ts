import { describe, expect, it } from 'vitest';
import { type CoreOptions, checkOptions } from '../../../../main/embed/options.ts';

describe('options of a host', () => {
  it('may be left out, all of them', () => expect(() => checkOptions({})).not.toThrow());

  it('may be given, all of them', () => {
    const programs = [{ path: '/host/train.ts', title: 'Train' }];
    const all: CoreOptions = {
      dataFolder: '/host/data',
      theme: 'dark',
      language: 'zh-CN',
      programs,
      node: '/usr/bin/node',
      onError: () => {},
    };
    expect(() => checkOptions(all)).not.toThrow();
  });

  it.each([
    [{ dataFolder: 'data' }, "dataFolder must be a whole path, not 'data'"],
    [{ theme: 'pink' }, "theme must be one of system, light, dark, not 'pink'"],
    [{ language: 'fr' }, "language must be one of system, en, zh-CN, not 'fr'"],
    [{ node: 20 }, 'node must be the path of a Node 20 or newer'],
    [{ programs: '/host/train.ts' }, 'programs must be a list of { path, title }'],
    [{ programs: [{ path: 'train.ts', title: 'Train' }] }, "programs[0].path must be a whole path, not 'train.ts'"],
    [{ programs: [{ path: '/host/train.ts' }] }, 'programs[0].title must be a text'],
  ])('of plain JavaScript are checked: %o', (options, message) => {
    expect(() => checkOptions(options as CoreOptions)).toThrow(message);
  });
});
