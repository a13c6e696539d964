import { describe, expect, it } from 'vitest';
import { Translator } from '../../../../../renderer/locales/sentences/translator.ts';

const translator = new Translator(
  new Map([
    ['The run was stopped', '运行已停止'],
    ['it said nothing', '没有任何输出'],
    ['access is denied', '没有访问权限'],
    ['{0} cannot be written', '无法写入 {0}'],
    ['{0} cannot be reached: {1}', '无法连接 {0}：{1}'],
    ['The machine cannot be reached: {0}', '无法连接机器：{0}'],
    ['its process ended at once ({0}): {1}', '其进程立即结束了（{0}）：{1}'],
    ['exit code {0}', '退出码 {0}'],
    ['waiting for {0} at {1} for {2} s: {3}', '等待 {1} 上的 {0} 已 {2} 秒：{3}'],
    ["'{0}' cannot be watched: write NAME[INDEX,…] (or w.*)", '无法观察“{0}”：请写成 NAME[INDEX,…]（或 w.*）'],
    ['{node} has {count} {count|output|outputs}', '{node} 有 {count} 个输出'],
    ['from {0} to {0}', '{0} 到 {0}'],
    ['{0} and {1}', '{0} 和 {1}'],
    ['{0} has ended', '{0} 已结束'],
    ['The agent of {0}', '{0} 的代理'],
    ['{0} must be {1}, not {2}', '{0} 必须是{1}，而不是{2}'],
    ['a list', '列表'],
    ['{node}: {reason}', '{node}：{reason}'],
  ]),
);

describe('a translator', () => {
  it.each([
    ['a sentence', 'The run was stopped', '运行已停止'],
    ['a sentence with holes, in the order of the language', 'waiting for ps 0 at lab:1 for 7 s: x', '等待 lab:1 上的 ps 0 已 7 秒：x'],
    ['the sentence that says most', 'The machine cannot be reached: x', '无法连接机器：x'],
    [
      'signs that mean something to regular expressions',
      "'a.*(b' cannot be watched: write NAME[INDEX,…] (or w.*)",
      '无法观察“a.*(b”：请写成 NAME[INDEX,…]（或 w.*）',
    ],
    ['values that look like holes', '{1} cannot be reached: $& {0}', '无法连接 {1}：$& {0}'],
    ['the forms of a plural', 'w has 2 outputs', 'w 有 2 个输出'],
    ['a hole that comes twice', 'from a to a', 'a 到 a'],
    ['an empty hole', ' cannot be reached: ', '无法连接 ：'],
  ])('translates %s', (_what, english, chinese) => {
    expect(translator.translate(english)).toBe(chinese);
  });

  it('translates causes of causes', () => {
    expect(translator.translate('ps 0 cannot be reached: its process ended at once (exit code 3): it said nothing')).toBe(
      '无法连接 ps 0：其进程立即结束了（退出码 3）：没有任何输出',
    );
  });

  it.each([
    ['names', 'w and b', 'w 和 b'],
    ['numbers', '1, 2 and 3', '1, 2 和 3'],
    ['what it knows', 'The agent of pc1 has ended', 'pc1 的代理已结束'],
    ['nothing else', 'Cannot colocate nodes a and b', 'Cannot colocate nodes a and b'],
    ['words only', 'add: bad', 'add: bad'],
  ])('takes a sentence of few words only for %s', (_what, english, chinese) => {
    expect(translator.translate(english)).toBe(chinese);
  });

  it('puts spaces between Chinese and Latin only', () => {
    expect(translator.translate('feeds must be a list, not HOST:PORT')).toBe('feeds 必须是列表，而不是 HOST:PORT');
  });

  it('translates each line, and keeps those that it does not know', () => {
    expect(translator.translate('The run was stopped\n  at run (a.ts:1)\na cannot be reached: it said nothing')).toBe(
      '运行已停止\n  at run (a.ts:1)\n无法连接 a：没有任何输出',
    );
  });

  it('translates a sentence around a cause of several lines', () => {
    expect(translator.translate('its process ended at once (first\nsecond): it said nothing')).toBe(
      '其进程立即结束了（first\nsecond）：没有任何输出',
    );
  });

  it.each([
    ['several sentences', 'The run was stopped. The run was stopped. Oh.', '运行已停止。运行已停止。Oh.'],
    ['a sentence behind a code', 'CANCELLED: The run was stopped', 'CANCELLED: 运行已停止'],
    ['what happened, and why', '/a/run.json cannot be written: access is denied', '无法写入 /a/run.json：没有访问权限'],
    ['what happened, without words for why', '/a/run.json cannot be written: EIO', '无法写入 /a/run.json：EIO'],
  ])('translates the parts of %s', (_what, english, chinese) => {
    expect(translator.translate(english)).toBe(chinese);
  });

  it.each(['', 'stop', 'No such file. Nor: that', '运行已停止', 'Incompatible shapes: [2] vs. [3]\n\t [[{{node add}}]]'])(
    'leaves %j as it is',
    (text) => {
      expect(translator.translate(text)).toBe(text);
    },
  );

  it.each([
    ['words', 'cannot be reached: '.repeat(600)],
    ['sentences', 'a cannot be. '.repeat(900)],
    ['colons', ': '.repeat(5000)],
    ['lines', 'x y\n'.repeat(3000)],
    ['little words', 'a b and c d has ended and '.repeat(400)],
    ['little words, but short', 'a b and c d has ended and '.repeat(7)],
    ['brackets', 'its process ended at once ('.repeat(400)],
  ])('is quick with 10 kB of %s', (_what, text) => {
    const start = performance.now();
    translator.translate(text);
    expect(performance.now() - start).toBeLessThan(200);
  });
});
