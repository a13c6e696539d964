import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadShellState, type ShellState, saveShellState, visibleBounds } from '../../../../main/app/shell-state.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanflow-state-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const initial: ShellState = { theme: 'system', maximized: false };

describe('what the shell remembers', () => {
  it('comes back as it was saved, and nothing else is left in the folder', () => {
    const file = join(folder, 'new', 'window.json');
    const state: ShellState = { theme: 'dark', language: 'zh-CN', maximized: true, bounds: { x: -5, y: 10, width: 900, height: 700 } };
    saveShellState(file, initial);
    saveShellState(file, state);
    expect(loadShellState(file)).toEqual(state);
    expect(readdirSync(join(folder, 'new'))).toEqual(['window.json']);
  });

  it.each([
    ['missing', undefined],
    ['cut off', '{"theme":"da'],
    ['no object', '7'],
    ['null', 'null'],
    ['of unknown values', '{"theme":"pink","language":"xx","bounds":{"x":"1"},"maximized":1}'],
  ])('is the initial state when the file is %s', (_what, text) => {
    const file = join(folder, 'window.json');
    if (text !== undefined) writeFileSync(file, text);
    expect(loadShellState(file)).toEqual(initial);
  });
});

describe('bounds of the window', () => {
  const left = { x: 0, y: 0, width: 1920, height: 1040 };
  const right = { x: 1920, y: 0, width: 1280, height: 1024 };
  const bounds = { x: 2000, y: 100, width: 1000, height: 800 };

  it('are kept while a display shows them', () => {
    expect(visibleBounds(bounds, [left, right])).toBe(bounds);
  });

  it('are forgotten when that display is gone', () => {
    expect(visibleBounds(bounds, [left])).toBeUndefined();
  });

  it('are forgotten when the title bar cannot be reached', () => {
    expect(visibleBounds({ ...bounds, y: -400 }, [left, right])).toBeUndefined();
    expect(visibleBounds({ ...bounds, x: 3150 }, [left, right])).toBeUndefined();
  });

  it('may be unknown', () => {
    expect(visibleBounds(undefined, [left])).toBeUndefined();
  });
});
