import { describe, expect, it } from 'vitest';
import { programNameFrom, uniqueName } from '../../../../main/store/program-name.ts';

describe('programNameFrom', () => {
  it.each([
    ['Ring all-reduce', 'ring-all-reduce'],
    ['  My 2nd program!  ', 'my-2nd-program'],
    ['参数服务器 与 工作节点', '参数服务器-与-工作节点'],
    ['Ｆｕｌｌ　ｗｉｄｔｈ', 'full-width'],
    ['../../etc/passwd', 'etc-passwd'],
    ['???', 'program'],
    ['', 'program'],
    ['CON', 'con-program'],
    ['Übung №5', 'übung-no5'],
    ['x'.repeat(100), 'x'.repeat(60)],
    [`${'字'.repeat(59)} 尾`, '字'.repeat(59)],
  ])('makes of %j %j', (title, name) => expect(programNameFrom(title)).toBe(name));
});

describe('uniqueName', () => {
  it('is the name itself while it is free, then the first number that is', () => {
    expect(uniqueName('a', new Set())).toBe('a');
    expect(uniqueName('a', new Set(['a', 'a-2', 'a-4']))).toBe('a-3');
  });
});
