import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const MACHINES = { x64: 0x3e, arm64: 0xb7 } as const;

export interface StandInOptions {
  readonly arch?: keyof typeof MACHINES;
  /** What its module is, in place of a library that says that it computes on a card. */
  readonly code?: string;
}

const CODE = `exports.ready = async () => undefined;
exports.getBackend = () => 'tensorflow';
exports.backend = () => ({ isUsingGpuDevice: true });
`;

/** A component as npm installs TensorFlow.js for GPUs, with files that are as much of native libraries as anybody looks at. */
export async function makeComponent(folder: string, { arch = 'x64', code = CODE }: StandInOptions = {}): Promise<void> {
  const root = 'node_modules/@tensorflow/tfjs-node-gpu';
  const head = Buffer.alloc(64);
  head.write('\x7fELF');
  head.writeUInt16LE(MACHINES[arch], 18);
  const put = async (name: string, content: string | Buffer) => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  };
  await put(`${root}/package.json`, JSON.stringify({ name: '@tensorflow/tfjs-node-gpu', version: '4.22.0', main: 'index.js' }));
  await put(`${root}/index.js`, code);
  await put(`${root}/lib/napi-v8/tfjs_binding.node`, head);
  await put(`${root}/deps/lib/libtensorflow.so.2.9.1`, head);
  await symlink('libtensorflow.so.2.9.1', join(folder, root, 'deps/lib/libtensorflow.so.2'));
  await put('lib/libcudart.so', head);
}
