import { expect, it } from 'vitest';
import { createMemory } from '../../../../renderer/stores/run-memory.ts';
import { recallSettings, rememberSettings } from '../../../../renderer/stores/settings-memory.ts';

function fakeStorage(stored: Record<string, string> = {}) {
  return {
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, value: string) => {
      stored[key] = value;
    },
  };
}
const isNumber = (value: unknown): value is number => typeof value === 'number';

it('keeps the last few, the newest value of each', () => {
  const storage = fakeStorage();
  const memory = createMemory({ storage, key: 'k', most: 2, isValid: isNumber });
  memory.set('a', 1);
  memory.set('b', 2);
  memory.set('a', 3);
  memory.set('c', 4);
  const later = createMemory({ storage, key: 'k', most: 2, isValid: isNumber });
  expect(['a', 'b', 'c'].map((name) => later.get(name))).toEqual([3, undefined, 4]);
});

it.each(['', 'nonsense', '{}', '[["a"]]', '[["a","text"]]'])('does not believe %j', (stored) => {
  const memory = createMemory({ storage: fakeStorage({ k: stored }), key: 'k', most: 2, isValid: isNumber });
  expect(memory.get('a')).toBeUndefined();
  memory.set('a', 1);
  expect(memory.get('a')).toBe(1);
});

it('opens a window in the colours of the last time', () => {
  const storage = fakeStorage();
  expect(recallSettings(storage)).toBeUndefined();
  rememberSettings(storage, { language: 'zh-CN', theme: 'dark' });
  expect(recallSettings(storage)).toEqual({ language: 'zh-CN', theme: 'dark' });
  for (const stored of ['{', '{"theme":"pink","language":"en"}', 'null', '7'])
    expect(recallSettings({ getItem: () => stored })).toBeUndefined();
});
