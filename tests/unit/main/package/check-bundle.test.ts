import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { elfHeader, peHeader } from './support.ts';

interface CheckBundle {
  bundleProblems(path: string, target: { platform: string; arch: string }): Promise<readonly string[]>;
}

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const { bundleProblems }: CheckBundle = await import(join(root, 'scripts/package/check-bundle.mjs'));

const TARGET = { platform: 'linux', arch: 'arm64' };
const ARM = elfHeader(183);
const ONNXRUNTIME = 'node_modules/onnxruntime-node/bin/napi-v6/linux/arm64';
const KOFFI = 'node_modules/@koromix/koffi-linux-arm64/linux_arm64/koffi.node';
const GOOD: Readonly<Record<string, Buffer>> = {
  'node/node': ARM,
  [KOFFI]: ARM,
  [`${ONNXRUNTIME}/onnxruntime_binding.node`]: ARM,
  [`${ONNXRUNTIME}/libonnxruntime.so.1`]: ARM,
  ...Object.fromEntries(
    ['index.js', 'agent.js', 'device-thread.js', 'tensorflow/serve.py'].map((name) => [`dist/task-server/${name}`, Buffer.from(name)]),
  ),
};

describe('a bundle for machines of another kind', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-check-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function pack(files: Readonly<Record<string, Buffer | undefined>>): string {
    const contents = join(folder, 'contents');
    for (const [name, bytes] of Object.entries(files)) {
      if (bytes === undefined) continue;
      mkdirSync(dirname(join(contents, name)), { recursive: true });
      writeFileSync(join(contents, name), bytes);
    }
    const path = join(folder, 'bundle.tar.gz');
    execFileSync('tar', ['-czf', path, '-C', contents, '.']);
    return path;
  }

  it('is good when all its parts are there and for that kind', async () => {
    expect(await bundleProblems(pack(GOOD), TARGET)).toEqual([]);
  });

  it('is good when a part is packed twice', async () => {
    const path = pack({ ...GOOD, [KOFFI]: undefined, [`${KOFFI}.br`]: brotliCompressSync(ARM) });
    expect(await bundleProblems(path, TARGET)).toEqual([]);
  });

  it('is not when a part is for another kind, or for none', async () => {
    const path = pack({ ...GOOD, 'node/node': elfHeader(62), [KOFFI]: peHeader(0xaa64), 'other/addon.node': Buffer.from('text') });
    expect([...(await bundleProblems(path, TARGET))].sort()).toEqual([
      'node/node is for linux-x64',
      `${KOFFI} is for win32-arm64`,
      'other/addon.node is for no system that is known',
    ]);
  });

  it('is not when a part is missing', async () => {
    const path = pack({ ...GOOD, 'dist/task-server/agent.js': undefined, [KOFFI]: undefined });
    expect(await bundleProblems(path, TARGET)).toEqual(['dist/task-server/agent.js is not in it', `${KOFFI} is not in it`]);
  });

  it('needs no ONNX Runtime on Macs with an Intel processor, for which there is none', async () => {
    const problems = await bundleProblems(pack(GOOD), { platform: 'darwin', arch: 'x64' });
    expect(problems.filter((problem) => problem.includes('onnxruntime') && problem.includes('not in it'))).toEqual([]);
  });

  it('is not when it is too large', async () => {
    const path = pack(GOOD);
    truncateSync(path, 60_500_000);
    expect(await bundleProblems(path, TARGET)).toEqual(['bundle.tar.gz has 61 MB, and may have 60']);
  });
});
