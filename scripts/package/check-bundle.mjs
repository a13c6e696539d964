import { execFile } from 'node:child_process';
import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { binaryPlatform, HEADER_SIZE } from './binary-format.mjs';

/** What is sent to each machine of a lab. */
const MAX_BYTES = 60_000_000;

const programs = ['index.js', 'agent.js', 'device-thread.js', 'tensorflow/serve.py'].map((name) => `dist/task-server/${name}`);
/** Files that are for one kind of machine only. */
const native = /(^|\/)node(\.exe)?$|\.(node|so(\.\d+)*|dylib|dll)$/;

/** What is wrong with a bundle: each a sentence. Unpacks it, as the machine that it is for does. */
export async function bundleProblems(path, target) {
  const folder = await mkdtemp(join(tmpdir(), 'lanflow-bundle-'));
  try {
    await promisify(execFile)('tar', ['-xzf', path, '-C', folder]);
    await expand(folder);
    const files = await filesIn(folder);
    return [...(await sizeProblems(path)), ...missing(files, target), ...(await strangers(folder, files, target))];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** As the machine does with what is packed twice. */
async function expand(folder) {
  for (const name of (await filesIn(folder)).filter((file) => file.endsWith('.br'))) {
    const path = join(folder, name);
    await writeFile(path.slice(0, -'.br'.length), brotliDecompressSync(await readFile(path)));
    await rm(path);
  }
}

async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'));
}

async function sizeProblems(path) {
  const { size } = await stat(path);
  return size > MAX_BYTES ? [`${basename(path)} has ${Math.ceil(size / 1e6)} MB, and may have ${MAX_BYTES / 1e6}`] : [];
}

function missing(files, { platform, arch }) {
  const koffi = `node_modules/@koromix/koffi-${platform}-${arch}/${platform}_${arch}/koffi.node`;
  const onnxruntime = `node_modules/onnxruntime-node/bin/napi-v6/${platform}/${arch}/onnxruntime_binding.node`;
  const hasOnnxruntime = platform !== 'darwin' || arch !== 'x64';
  const wanted = [...programs, platform === 'win32' ? 'node/node.exe' : 'node/node', koffi, ...(hasOnnxruntime ? [onnxruntime] : [])];
  return wanted.filter((file) => !files.includes(file)).map((file) => `${file} is not in it`);
}

async function strangers(folder, files, target) {
  const problems = [];
  for (const file of files.filter((name) => native.test(name))) {
    const found = binaryPlatform(await firstBytes(join(folder, file)));
    if (found?.platform === target.platform && found.arch === target.arch) continue;
    problems.push(`${file} is for ${found ? `${found.platform}-${found.arch}` : 'no system that is known'}`);
  }
  return problems;
}

async function firstBytes(path) {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_SIZE), 0, HEADER_SIZE, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
