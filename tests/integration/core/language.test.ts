import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { LanguageService, type LanguageServiceEnv } from '../../../main/core/language/language-service.ts';
import { childrenOf } from '../../support/processes.ts';

const built = fileURLToPath(new URL('../../../dist/language/index.js', import.meta.url));

const program = (body: string) => `import { defineProgram, Graph } from 'lanflow/client';

export default defineProgram({
  name: 'p',
  title: 'P',
  cluster: { ps: 1 },
  async run(context) {
    const g = new Graph();
    ${body}
    return {};
  },
});
`;

describe('the language server', () => {
  let folder: string;
  let service: LanguageService;
  const lines: string[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-language-'));
  });
  afterEach(() => service.close());
  afterAll(() => rmSync(folder, { recursive: true }));

  const start = (entry = built, limits: LanguageServiceEnv['limits'] = {}) => {
    service = new LanguageService({ entry, limits, log: (line) => lines.push(line) });
  };
  const check = (source: string) => service.check(join(folder, 'p.ts'), source);
  const servers = () => childrenOf(process.pid).filter(({ command }) => command.includes('language') || command.includes(folder));
  /** A server of the test's own. */
  const write = (name: string, text: string) => {
    const path = join(folder, `${name}.mjs`);
    writeFileSync(path, text);
    return path;
  };

  it("knows the client library's declarations: what is wrong, and what may be typed", async () => {
    start();
    expect(servers()).toEqual([]);
    expect(await check(program("const v = g.variable('v', 0);\n    await context.session(g, 'ps', 0).run(v);"))).toEqual([]);
    const [problem] = await check(program("g.varible('v', 0);"));
    expect(problem).toMatchObject({ severity: 'error', line: 9, column: 7, endColumn: 14, text: expect.stringContaining("'variable'") });
    const source = program('g.globalVariablesI');
    const { from, items } = await service.complete(join(folder, 'p.ts'), source, source.indexOf('VariablesI') + 10);
    expect([source.slice(from, from + 4), items[0]?.label, items[0]?.detail]).toEqual([
      'glob',
      'globalVariablesInitializer',
      expect.stringContaining('Node'),
    ]);
    expect(servers()).toHaveLength(1);
  });

  it('answers completions before checks that wait', async () => {
    start();
    const order: string[] = [];
    await Promise.all([
      check('1').then(() => order.push('first')),
      check('2').then(() => order.push('check')),
      service.complete(join(folder, 'p.ts'), 'g', 1).then(() => order.push('complete')),
    ]);
    expect(order).toEqual(['first', 'complete', 'check']);
  });

  it('is started anew after a crash', async () => {
    start();
    expect(await check(program(''))).toEqual([]);
    const [server] = servers();
    process.kill(server?.pid ?? 0, 'SIGKILL');
    expect(await check(program('nothing;'))).toHaveLength(1);
  });

  it('says so when it crashes again', async () => {
    start(write('crash', "process.send({ kind: 'ready' }); process.on('message', () => process.exit(7));"));
    await expect(check('')).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: expect.stringContaining('exit code 7') });
    expect(lines.at(-1)).toContain('exit code 7');
  });

  it('is ended when it does not answer, and the next one is another', async () => {
    const entry = write('hang', "process.send({ kind: 'ready' }); process.on('message', () => { for (;;); });");
    start(entry, { answer: 200 });
    await expect(check('')).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED, message: expect.stringContaining('0.2 s') });
    expect(servers()).toEqual([]);
    await expect(check('')).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED });
  });

  it('is given up when it does not start', async () => {
    start(write('silent', 'setInterval(() => {}, 1000);'), { start: 300 });
    await expect(check('')).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED, message: expect.stringContaining('did not start') });
    expect(servers()).toEqual([]);
  });

  it('goes when nobody has asked for a while, and comes back', async () => {
    start(built, { idle: 200 });
    await check('');
    await expect.poll(servers, { timeout: 5000 }).toEqual([]);
    expect(await check(program(''))).toEqual([]);
  });

  it('goes with whoever started it, and leaves nobody waiting', async () => {
    start(write('hang', "process.send({ kind: 'ready' }); process.on('message', () => { for (;;); });"));
    const asked = [check(''), check('')];
    const answers = Promise.allSettled(asked);
    await expect.poll(servers, { timeout: 5000 }).toHaveLength(1);
    await service.close();
    expect((await answers).map((answer) => (answer.status === 'rejected' ? answer.reason.code : answer.value))).toEqual([
      Code.CANCELLED,
      Code.CANCELLED,
    ]);
    expect(servers()).toEqual([]);
    await expect(check('')).rejects.toMatchObject({ code: Code.CANCELLED });
  });
});
