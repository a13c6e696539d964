import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { translateMessage } from '../../../../../renderer/locales/sentences/translate-message.ts';
import chinese from '../../../../../renderer/locales/sentences/zh-CN.json';

const script = fileURLToPath(new URL('../../../../../scripts/sentences.mjs', import.meta.url));

describe('the sentences of the core', () => {
  it('are translated, all of them and no others', { timeout: 60_000 }, async () => {
    const { stderr } = await promisify(execFile)(process.execPath, [script]).catch((error: { stderr: string }) => error);
    expect(stderr).toBe('');
  });

  it('hold Chinese, but for commands', () => {
    const plain = Object.entries(chinese).filter(
      ([english, text]) => !/\p{Script=Han}/u.test(text) && !/^\w+ (--)?\w+ firewall/.test(english),
    );
    expect(plain).toEqual([]);
  });
});

describe('translateMessage', () => {
  it('leaves English windows alone', () => {
    expect(translateMessage('The run was stopped', 'en')).toBe('The run was stopped');
  });

  it('knows what may be wrong with a drawing, also as a part of an error', () => {
    const english = "The document 'a' is not complete: add needs something connected to 'x' (and 2 more)";
    expect(translateMessage(english, 'zh-CN')).toBe('文档“a”不完整：add 的输入“x”还没有连接（另有 2 处）');
  });

  it.each([
    ['an unknown text', (i: number) => `Unknown words ${i}: of a server (${i})`, 100],
    ['one that begins the same sentence again and again', () => 'the cluster has no job ('.repeat(400), 1],
    ['one of many little words', () => 'a b and c d to e f has no g h '.repeat(6), 1],
  ])('is quick with %s', (_what, text, times) => {
    translateMessage('a b', 'zh-CN');
    const start = performance.now();
    for (let i = 0; i < times; i++) translateMessage(text(i), 'zh-CN');
    expect(performance.now() - start).toBeLessThan(500);
  });
});
