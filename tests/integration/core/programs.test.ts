import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProgramInfo } from '#proto/ipc/contract.ts';
import { programs } from '../../../main/programs/index.ts';
import { CoreClient } from './core-client.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/programs/${name}`, import.meta.url));

describe("the user's own programs", () => {
  let folder: string;
  let core: CoreClient;

  const own = async (): Promise<readonly ProgramInfo[]> =>
    (await core.call('programs.list', null)).filter(({ name }) => name.startsWith('own/'));
  const read = async (program: string): Promise<string> => (await core.call('programs.read', { program })).source;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-programs-'));
    core = new CoreClient(folder);
  });
  afterAll(async () => {
    await core.leave();
    await rm(folder, { recursive: true });
  });

  it('a new one of code starts from a template, is listed as what it says of itself, and its file holds what was written last', async () => {
    const changed = core.when('programs.changed', ({ programs: list }) => list.some(({ name }) => name === 'own/我的-第一个-程序'));
    const info = await core.call('programs.create', { kind: 'code', title: '我的 第一个 程序' });
    expect(info).toEqual({
      ...{ name: 'own/我的-第一个-程序', title: '我的 第一个 程序', kind: 'code', origin: '' },
      ...{ cluster: { ps: 1, worker: 1 }, virtualGpus: 0, clients: 'one' },
    });
    await changed;
    expect(await own()).toEqual([info]);
    const source = await read(info.name);
    expect(source).toContain("from 'lanflow/client'");
    await core.call('programs.write', { program: info.name, source: source.replace('cluster: { ps: 1,', 'cluster: { ps: 3,') });
    const told = await core.when('programs.changed', ({ programs: list }) => list.some(({ cluster }) => cluster['ps'] === 3));
    expect(told.programs.find(({ name }) => name === info.name)?.cluster).toEqual({ ps: 3, worker: 1 });
    expect(await readFile(join(folder, 'programs', '我的-第一个-程序.ts'), 'utf8')).toContain('ps: 3');
    await core.call('programs.delete', { program: info.name });
    expect(await own()).toEqual([]);
    await expect(read(info.name)).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
  });

  it('one that cannot be loaded stays listed with what was known, and takes its own title again once that changes', async () => {
    const { name } = await core.call('programs.create', { kind: 'code', title: 'Broken soon' });
    const source = await read(name);
    await core.call('programs.write', { program: name, source: 'export default {' });
    expect((await own()).find((each) => each.name === name)).toMatchObject({ title: 'Broken soon', cluster: { ps: 1, worker: 1 } });
    await expect(core.call('graphs.view', { of: { program: name } })).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
    const renamed = await core.call('programs.rename', { program: name, title: 'Named by hand' });
    expect(renamed).toMatchObject({ name, title: 'Named by hand' });
    const whenTitled = (title: string) => core.when('programs.changed', ({ programs: list }) => list.some((each) => each.title === title));
    const mended = whenTitled('Mended');
    await core.call('programs.write', { program: name, source: source.replace("title: 'Broken soon'", "title: 'Mended'") });
    await mended;
    await core.call('programs.delete', { program: name });
  });

  it('names are unique, whatever kind of file they have, also when many are made at once', async () => {
    const made = await Promise.all([
      core.call('programs.create', { kind: 'graph', title: 'Twice' }),
      core.call('programs.create', { kind: 'code', title: 'twice!' }),
      core.call('programs.create', { kind: 'graph', title: 'TWICE' }),
    ]);
    expect(made.map(({ name }) => name).sort()).toEqual(['own/twice', 'own/twice-2', 'own/twice-3']);
    expect(made.map(({ title }) => title)).toEqual(['Twice', 'twice!', 'TWICE']);
    for (const { name } of made) await core.call('programs.delete', { program: name });
  });

  it('a new graph is an empty document; what is no document is not written', async () => {
    const { name, kind } = await core.call('programs.create', { kind: 'graph', title: 'Drawn' });
    expect(kind).toBe('graph');
    const document = JSON.parse(await read(name));
    expect(document).toMatchObject({ version: 1, title: 'Drawn', nodes: [] });
    await expect(core.call('programs.write', { program: name, source: '{ "version": 1 }' })).rejects.toMatchObject({
      codeName: 'INVALID_ARGUMENT',
    });
    const written = await core.call('programs.write', { program: name, source: JSON.stringify({ ...document, cluster: { worker: 4 } }) });
    expect(written.cluster).toEqual({ worker: 4 });
    const copy = await core.call('programs.create', { kind: 'graph', title: 'Drawn again', from: name });
    expect(JSON.parse(await read(copy.name))).toMatchObject({ title: 'Drawn again', cluster: { worker: 4 } });
    await expect(core.call('programs.create', { kind: 'code', title: 'x', from: name })).rejects.toMatchObject({
      codeName: 'INVALID_ARGUMENT',
    });
  });

  it('runs no code of a module that is brought, nor of its copy, before its user lets it', async () => {
    const mark = join(tmpdir(), `lanflow-mark-${process.pid}`);
    const text = `import { writeFileSync } from 'node:fs';
      import { defineProgram } from 'lanflow/client';
      writeFileSync(${JSON.stringify(mark)}, '');
      export default defineProgram({ name: 'stranger', title: 'from afar', cluster: {}, run: async () => ({}) });`;
    const { name: program } = await core.call('programs.import', { name: 'stranger.ts', content: new TextEncoder().encode(text) });
    const copy = await core.call('programs.create', { kind: 'code', title: 'copy of a stranger', from: program });
    expect(copy.origin).toBe('stranger.ts');
    for (const each of [program, copy.name]) {
      const refused = { codeName: 'FAILED_PRECONDITION', message: expect.stringContaining('came from stranger.ts') };
      await expect(core.call('runs.start', { program: each })).rejects.toMatchObject(refused);
      await expect(core.call('graphs.view', { of: { program: each } })).rejects.toMatchObject(refused);
      await core.call('programs.write', { program: each, source: `${text}\n` });
    }
    await core.call('programs.list', null);
    expect(existsSync(mark)).toBe(false);
    expect(await core.call('programs.trust', { program })).toMatchObject({ origin: '', title: 'from afar' });
    expect(existsSync(mark)).toBe(true);
    await rm(mark);
  });

  it('takes modules and graphs that are brought, and says what else is brought', async () => {
    const bring = async (name: string, content?: Uint8Array) =>
      core.call('programs.import', { name, content: content ?? new Uint8Array(await readFile(fixture(name))) });
    expect(await bring('double.ts')).toMatchObject({ name: 'own/double', kind: 'code', title: 'double', origin: 'double.ts', cluster: {} });
    expect(await bring('scale.pbtxt')).toMatchObject({ name: 'own/scale', kind: 'graph-def', title: 'scale' });
    expect(await read('own/scale')).toContain('op: "Mul"');
    const exported = await core.call('graphs.export', { of: { program: 'own/scale' }, format: 'pb' });
    expect(exported.name).toBe('scale.pb');
    expect(await bring(exported.name, exported.content)).toMatchObject({ name: 'own/scale-2', kind: 'graph-def' });
    expect(await read('own/scale-2')).toContain('op: "Mul"');
    await expect(core.call('programs.write', { program: 'own/scale', source: '' })).rejects.toMatchObject({
      codeName: 'FAILED_PRECONDITION',
    });
    const text = new TextEncoder().encode('hello');
    for (const name of ['notes.txt', 'a.pb', 'a.pbtxt', 'a.lanflow.json']) {
      await expect(bring(name, text)).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT', message: expect.stringContaining(name) });
    }
  });

  it('copies a GraphDef as it is, in either form', async () => {
    const bytes = new Uint8Array(await readFile(fixture('scale.pbtxt')));
    const text = await core.call('programs.import', { name: 'scale.pbtxt', content: bytes });
    const { content } = await core.call('graphs.export', { of: { program: text.name }, format: 'pb' });
    const binary = await core.call('programs.import', { name: 'binary.pb', content });
    for (const { name: from } of [text, binary]) {
      const copy = await core.call('programs.create', { kind: 'graph-def', title: `Copy of ${from}`, from });
      expect(copy).toMatchObject({ kind: 'graph-def', title: `Copy of ${from}`, origin: '' });
      expect(copy.name).not.toBe(from);
      expect(await read(copy.name)).toBe(await read(from));
    }
    for (const wish of [{ from: 'ps-workers' }, {}]) {
      const refused = core.call('programs.create', { kind: 'graph-def', title: 'No GraphDef', ...wish });
      await expect(refused).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
    }
  });

  it('samples and names that lead elsewhere are left alone', async () => {
    const write = (program: string) => core.call('programs.write', { program, source: '' });
    await expect(write('ps-workers')).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
    await expect(write(fixture('double.ts'))).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
    for (const name of ['own/../settings', 'own/', 'own/a/b', 'own/.hidden']) {
      await expect(write(name)).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
      await expect(read(name)).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
    }
    await expect(core.call('programs.create', { kind: 'code', title: '  ' })).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
  });

  it('pins of any program outlive the core', async () => {
    const pins = { 'hidden/': '/job:worker/task:1', add: '/cpu:0' };
    const pinned = core.when('programs.pinned', ({ program }) => program === 'ps-workers');
    expect(await core.call('programs.setPins', { program: 'ps-workers', pins })).toEqual(pins);
    expect(await pinned).toEqual({ program: 'ps-workers', pins });
    await core.call('programs.setPins', { program: fixture('double.ts'), pins: { x: '' } });
    const wrong = core.call('programs.setPins', { program: 'ps-workers', pins: { add: 'somewhere' } });
    await expect(wrong).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT', message: expect.stringContaining('somewhere') });
    await expect(core.call('programs.pins', { program: 'nothing' })).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
    await core.leave();
    core = new CoreClient(folder);
    expect(await core.call('programs.pins', { program: 'ps-workers' })).toEqual(pins);
    expect(await core.call('programs.pins', { program: fixture('double.ts') })).toEqual({ x: '' });
    await core.call('programs.setPins', { program: 'ps-workers', pins: {} });
    expect(await core.call('programs.pins', { program: 'ps-workers' })).toEqual({});
  });

  it('lists a file that was put there by hand, and nothing else of the folder', async () => {
    await writeFile(
      join(folder, 'programs', 'by-hand.js'),
      "export default { name: 'x', title: 'By hand', cluster: { a: 2 }, run: async () => ({}) };\n",
    );
    await writeFile(join(folder, 'programs', 'notes.txt'), 'x');
    const learnt = core.when('programs.changed', ({ programs: list }) => list.some(({ title }) => title === 'By hand'));
    expect((await own()).find(({ name }) => name === 'own/by-hand')).toMatchObject({ title: 'by-hand', kind: 'code' });
    await learnt;
    expect((await own()).find(({ name }) => name === 'own/by-hand')).toMatchObject({ title: 'By hand', cluster: { a: 2 } });
    expect((await readdir(join(folder, 'programs'))).filter((name) => name.endsWith('.tmp') || name.endsWith('.lock'))).toEqual([]);
  });

  it('the template and the copy of a sample run as they are, with the right result', async () => {
    const run = async (program: string) => {
      const { id } = await core.call('runs.start', { program });
      return (await core.when('runs.changed', (change) => change.run.id === id && change.run.endedAt > 0)).run;
    };
    const template = await core.call('programs.create', { kind: 'code', title: 'Runs at once' });
    expect(await run(template.name)).toMatchObject({ state: 'finished', problems: [], outcomes: { client: { counter: 10 } } });
    const copy = await core.call('programs.create', { kind: 'code', title: 'Runs as a copy', from: 'location-trace' });
    const done = await run(copy.name);
    expect(done).toMatchObject({ program: 'own/runs-as-a-copy', programTitle: 'Runs as a copy', state: 'finished', problems: [] });
    expect(done.traces).toBeGreaterThan(0);
  });

  it('a copy of every sample loads, and is what the sample is', async () => {
    for (const { name, cluster, virtualGpus = 0, task } of programs) {
      const copy = await core.call('programs.create', { kind: 'code', title: `Copy of ${name}`, from: name });
      expect(copy).toMatchObject({ title: `Copy of ${name}`, cluster, virtualGpus, clients: task ? 'per task' : 'one' });
    }
    // Without anything to say there is no log.
    const log = join(folder, 'logs', 'core.log');
    if (existsSync(log)) expect(await readFile(log, 'utf8')).not.toContain('copy-of');
  });
});
