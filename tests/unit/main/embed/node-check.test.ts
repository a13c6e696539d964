import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeProblem } from '../../../../main/embed/node-check.ts';

describe.skipIf(process.platform === 'win32')('a Node for the core', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-node-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function program(name: string, script: string): string {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  it('is right when it is new enough', async () => expect(await nodeProblem(process.execPath)).toBe(''));

  it.each([
    ['missing', () => join(folder, 'none'), /none' is no Node that runs here: give the path of a Node 20 or newer as the option 'node'/],
    ['too old', () => program('old', 'echo v16.17.1'), /old' is Node v16\.17\.1: give the path/],
    ['something else', () => program('other', 'echo hello'), /other' is no Node that runs here/],
  ])('that is %s is said to be so', async (_what, path, message) => expect(await nodeProblem(path())).toMatch(message));
});
