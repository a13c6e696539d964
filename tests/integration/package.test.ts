import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../support/cluster.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  noEmit: true,
  types: [],
  lib: ['ES2023', 'DOM'],
  skipLibCheck: false,
};

/** A stranger's project that has the package installed. */
describe('lanflow/client as an installed package', () => {
  let project: string;
  let cluster: Cluster;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'lanflow-host-'));
    await mkdir(join(project, 'node_modules'));
    await symlink(root, join(project, 'node_modules', 'lanflow'), 'dir');
    await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    await run(process.execPath, [join(root, 'scripts', 'types.mjs')]);
    cluster = await startCluster({ jobs: { ps: 1 }, engine: 'bundled' });
  });
  afterAll(async () => {
    await cluster.stop();
    await rm(project, { recursive: true });
  });

  it("compiles and runs the README's example", async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';
    expect(example).toContain('lanflow/client');
    const code = example.replace('grpc://localhost:2222', cluster.target('ps', 0));
    await writeFile(join(project, 'example.ts'), code);
    await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project]);
    await writeFile(join(project, 'example.mjs'), code);
    const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: project });
    expect(stdout).toMatch(/Float32Array\(1\) \[ 1 \]/);
  });

  it('refuses a wrong argument at compile time', async () => {
    await writeFile(join(project, 'wrong.ts'), "import { Graph } from 'lanflow/client';\nnew Graph().matmul({ no: 'tensor' }, 1);\n");
    const failure = await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project]).catch((error: { stdout: string }) => error);
    expect(failure.stdout).toContain('wrong.ts(2,');
    await rm(join(project, 'wrong.ts'));
  });

  it('serves a CommonJS host too', async () => {
    const code = "import('lanflow/client').then(({ Graph }) => console.log(typeof new Graph().constant))";
    await writeFile(join(project, 'host.cjs'), code);
    const { stdout } = await run(process.execPath, ['host.cjs'], { cwd: project });
    expect(stdout).toBe('function\n');
  });
});
