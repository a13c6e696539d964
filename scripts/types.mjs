/**
 * Writes the types of `lanflow/client` and `lanflow/embed`: `node scripts/types.mjs`, or as part of the whole build. It takes seconds,
 * so nothing is done when nothing has changed since.
 *
 * - `dist/client/index.d.ts`, `dist/embed/index.d.cts`: all in one file, for whoever has the package installed;
 * - `dist/language/declarations.json`: the same and TypeScript's own libraries by name, for the language server. Packagers of
 *   desktop apps leave out files that end in .d.ts.
 */
import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const root = fileURLToPath(new URL('..', import.meta.url));
const types = join(root, 'dist/client/index.d.ts');
const embedTypes = join(root, 'dist/embed/index.d.cts');
const declarations = join(root, 'dist/language/declarations.json');
const inputs = ['main/client', 'proto/wire', 'proto/generated', 'proto/ops', 'scripts/types.mjs', 'package-lock.json', 'tsconfig.json'];
const embedInputs = ['main/embed', 'main/app', 'proto/ipc', 'proto/wire', 'scripts/types.mjs', 'package-lock.json', 'tsconfig.json'];
/** What a program may use of the language itself. */
const LIBRARY = 'es2023';

export async function buildTypes() {
  await Promise.all([buildClientTypes(), buildEmbedTypes()]);
}

async function buildEmbedTypes() {
  const started = new Date();
  if ((await newest(embedInputs)) < (await timeOf(embedTypes))) return;
  await put(embedTypes, await bundleTypes('main/embed/index.ts'), started);
}

async function buildClientTypes() {
  const changed = await newest(inputs);
  if (changed < (await timeOf(types)) && changed < (await timeOf(declarations))) return;
  const started = new Date();
  const client = await bundleTypes('main/client/index.ts');
  await put(types, client, started);
  const libraries = await readLibraries(LIBRARY);
  await put(declarations, JSON.stringify({ ...Object.fromEntries(libraries), 'client.d.ts': client }), started);
}

async function bundleTypes(entry) {
  const bundle = await rollup({
    input: join(root, entry),
    external: /^(@bufbuild\/protobuf|electron$|node:)/,
    plugins: [
      dts({
        tsconfig: join(root, 'tsconfig.json'),
        compilerOptions: { incremental: false, noEmit: false, declaration: true, emitDeclarationOnly: true },
      }),
    ],
    onwarn: ({ message }) => {
      throw new Error(message);
    },
  });
  const { output } = await bundle.generate({ format: 'es' });
  await bundle.close();
  return output[0].code;
}

/** A library and all that it refers to, as pairs of name and text. */
async function readLibraries(name, found = new Map()) {
  const folder = dirname(createRequire(import.meta.url).resolve('typescript'));
  const file = `lib.${name}.d.ts`;
  if (found.has(file)) return found;
  const text = await readFile(join(folder, file), 'utf8');
  found.set(file, text);
  for (const [, other] of text.matchAll(/^\/\/\/ <reference lib="(.+)" \/>/gm)) await readLibraries(other, found);
  return found;
}

/** Whole or not at all: somebody may be reading it. What is changed after the time is newer. */
async function put(path, text, time) {
  const unfinished = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(unfinished, text);
  await utimes(unfinished, time, time);
  await rename(unfinished, path);
}

/** When the youngest of these files, and of the files in these folders, was changed. */
async function newest(paths) {
  const times = paths.map(async (path) => {
    const files = (await readdir(join(root, path), { recursive: true }).catch(ignore('ENOTDIR'))) ?? [''];
    return Math.max(...(await Promise.all(files.map((file) => timeOf(join(root, path, file))))));
  });
  return Math.max(...(await Promise.all(times)));
}

async function timeOf(path) {
  return (await stat(path).catch(ignore('ENOENT')))?.mtimeMs ?? 0;
}

function ignore(code) {
  return (error) => {
    if (error.code !== code) throw error;
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildTypes();
