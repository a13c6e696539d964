import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../support/cli.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/programs/${name}`, import.meta.url));

describe("the user's own programs on the command line", () => {
  let data: string;
  const run = (...args: string[]) => runCli(args, { dataFolder: data });

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'lanflow-cli-'));
    await mkdir(join(data, 'programs'));
    for (const name of ['double.ts', 'scale.pbtxt']) await copyFile(fixture(name), join(data, 'programs', name));
    await copyFile(fixture('double.ts'), join(data, 'programs', 'stranger.ts'));
    const content = { double: { title: 'Twice as much' }, stranger: { title: 'From elsewhere', origin: 'friend.lanflowrun' } };
    await writeFile(join(data, 'programs.json'), JSON.stringify({ version: 1, content }));
  });
  afterAll(() => rm(data, { recursive: true }));

  it('are listed beside the samples, by the names and titles that the app shows', async () => {
    const { stdout } = await run('run', '--list', '--json');
    const own = JSON.parse(stdout).filter(({ name }: { name: string }) => name.startsWith('own/'));
    expect(own.map(({ name, title }: { name: string; title: string }) => [name, title])).toEqual([
      ['own/double', 'Twice as much'],
      ['own/scale', 'scale'],
      ['own/stranger', 'From elsewhere'],
    ]);
  });

  it('are run by their names, and kept under them', async () => {
    const { code, stdout, stderr } = await run('run', 'own/double', '--json');
    expect([code, Object.keys(JSON.parse(stdout))], stderr).toEqual([0, ['client']]);
    const [folder = ''] = await readdir(join(data, 'runs'));
    const record = JSON.parse(await readFile(join(data, 'runs', folder, 'run.json'), 'utf8'));
    expect(JSON.stringify(record)).toContain('"program":"own/double"');
    const graph = await run('run', 'own/scale', '--fetch', 'y:0', '--feed', 'x=[1]', '--no-record');
    expect([graph.code, graph.stdout], graph.stderr).toEqual([0, expect.stringMatching(/^y:0 /)]);
  });

  it('are placed by their names', async () => {
    const { code, stdout } = await run('place', 'own/scale', '--json');
    expect([code, JSON.parse(stdout).devices.y]).toEqual([0, '/job:localhost/replica:0/task:0/device:CPU:0']);
  });

  it.each(['run', 'place'])('that came from elsewhere are not loaded by %s before their user lets them', async (verb) => {
    const { code, stderr } = await run(verb, 'own/stranger');
    expect([code, stderr]).toEqual([1, expect.stringContaining("FAILED_PRECONDITION: 'From elsewhere' came from friend.lanflowrun")]);
  });

  it('that are not there are named', async () => {
    expect((await run('run', 'own/nothing')).stderr).toMatch(/NOT_FOUND: There is no program 'own\/nothing'/);
  });
});
