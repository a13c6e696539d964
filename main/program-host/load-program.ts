import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { invalidArgument, notFound, toStatusError } from '#proto/wire/status.ts';
import type { Program } from '../client/index.ts';
import { findProgram, programs } from '../programs/index.ts';
import { loadGraph } from './load-graph.ts';
import type { ProgramSource } from './protocol.ts';

/** The program itself. NOT_FOUND for an unknown name or file; INVALID_ARGUMENT, with file and line, for a module that is none. */
export async function loadProgram(source: ProgramSource): Promise<Program> {
  if ('module' in source) return loadModule(resolve(source.module));
  if ('graph' in source) return loadGraph(source.graph);
  const program = findProgram(source.sample);
  if (program) return program;
  throw notFound(`No sample program '${source.sample}'. There are: ${programs.map(({ name }) => name).join(', ')}`);
}

/**
 * A user's TypeScript or JavaScript module with all it imports, as one temporary file. Only `lanflow/client` stays outside:
 * it is this process's own copy, so that the module's graphs are graphs here.
 */
async function loadModule(path: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'lanflow-program-'));
  try {
    const outfile = join(folder, 'program.mjs');
    await bundle(path, outfile);
    return checkProgram(path, await import(pathToFileURL(outfile).href));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bundle(entry: string, outfile: string): Promise<void> {
  const { build } = await import('esbuild');
  const client = fileURLToPath(new URL('../client/index.js', import.meta.url));
  try {
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: 'inline',
      logLevel: 'silent',
      plugins: [
        {
          name: 'own client',
          setup: ({ onResolve }) =>
            onResolve({ filter: /^lanflow\/client$/ }, () => ({ path: pathToFileURL(client).href, external: true })),
        },
      ],
    });
  } catch (error) {
    throw invalidArgument(toStatusError(error).message, { cause: error });
  }
}

function checkProgram(path: string, module: { default?: unknown }): Program {
  const program = module.default as Partial<Program> | undefined;
  if (typeof program?.run === 'function' || typeof program?.task === 'function')
    return { name: path, title: path, cluster: {}, ...program };
  throw invalidArgument(`${path} has no default export made with defineProgram({ name, title, cluster, run or task })`);
}
