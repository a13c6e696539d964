import { existsSync, type Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileError } from '#proto/files/file-error.ts';
import type { ProgramInfo } from '#proto/ipc/contract.ts';
import { invalidArgument, notFound } from '#proto/wire/status.ts';
import { decodeGraphDef, formatGraphDef } from '../../client/index.ts';
import { isGraphPath } from '../../program-host/load-graph.ts';
import type { ProgramSource } from '../../program-host/protocol.ts';
import { findProgram } from '../../programs/index.ts';
import { ownName } from '../../store/program-name.ts';
import { MAX_SOURCE_BYTES } from './import-program.ts';
import { selfContained } from './self-contained.ts';

/** Which program a name means; where its text is. */
export interface ProgramSourcesEnv {
  /** Of the user's own programs. */
  readonly folder: string;
  /** With the text of each sample, under its name. */
  readonly samples: string;
}

const OWN_EXTENSIONS = ['ts', 'js', 'lanflow.json', 'pb', 'pbtxt'];
/** With room for any script; the name becomes part of a path. */
const OWN_NAME = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}_-]*$/u;

/** A sample by its name, one of the user's own, or a module or graph by its path. NOT_FOUND, INVALID_ARGUMENT. */
export function programSource(program: string, { folder }: Pick<ProgramSourcesEnv, 'folder'>): ProgramSource {
  const own = ownName(program);
  if (own !== undefined) return sourceOfPath(ownPath(program, own, folder));
  if (findProgram(program)) return { sample: program };
  if (!/\.[cm]?[jt]s$/.test(program) && !isGraphPath(program)) throw notFound(`There is no sample program '${program}'`);
  if (!isAbsolute(program)) throw invalidArgument(`'${program}' must be the whole path of a module or a graph`);
  if (!existsSync(program)) throw notFound(`${program} is not there`);
  return sourceOfPath(program);
}

/** As the user reads it: a binary GraphDef as text. INVALID_ARGUMENT when it is too large for that. */
export async function programText(source: ProgramSource, { samples }: Pick<ProgramSourcesEnv, 'samples'>): Promise<string> {
  const path = pathOf(source, samples);
  const content = await contentOf(path);
  return path.endsWith('.pb') ? formatGraphDef(decodeGraphDef(content)) : content.toString('utf8');
}

/** The text of a program of code, such that it runs from another folder. */
export async function portableText(source: ProgramSource, env: Pick<ProgramSourcesEnv, 'samples'>): Promise<string> {
  const text = await programText(source, env);
  if ('sample' in source) return selfContained(text, (file) => readFile(join(env.samples, file), 'utf8'));
  if ('graph' in source) throw invalidArgument(`${basename(source.graph)} is a graph, not a program of code`);
  const folder = dirname(source.module);
  return text.replaceAll(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\2/g, (_, before: string, quote: string, path: string) => {
    return `${before}${quote}${resolve(folder, path).replaceAll('\\', '/')}${quote}`;
  });
}

/** A GraphDef as it is, to be kept elsewhere. INVALID_ARGUMENT for any other program. */
export async function graphDefCopy(source: ProgramSource): Promise<{ readonly extension: 'pb' | 'pbtxt'; readonly content: Uint8Array }> {
  const path = 'graph' in source ? source.graph : '';
  const extension = path.endsWith('.pb') ? 'pb' : 'pbtxt';
  if (!path.endsWith(`.${extension}`)) throw invalidArgument('Only a GraphDef can be copied as one');
  return { extension, content: await contentOf(path) };
}

/** Differs when the text does; empty for samples, which stay as they are. */
export async function programStamp(source: ProgramSource): Promise<string> {
  if ('sample' in source) return '';
  const { mtimeMs, size } = await statOf('graph' in source ? source.graph : source.module);
  return `${mtimeMs} ${size}`;
}

export function sampleInfo(name: string): ProgramInfo | undefined {
  const sample = findProgram(name);
  if (!sample) return undefined;
  const { title, cluster, virtualGpus = 0, task } = sample;
  return { name, title, kind: 'sample', origin: '', cluster, virtualGpus, clients: task ? 'per task' : 'one' };
}

function sourceOfPath(path: string): ProgramSource {
  return isGraphPath(path) ? { graph: path } : { module: path };
}

function ownPath(program: string, name: string, folder: string): string {
  const paths = OWN_NAME.test(name) ? OWN_EXTENSIONS.map((extension) => join(folder, `${name}.${extension}`)) : [];
  const path = paths.find((each) => existsSync(each));
  if (path !== undefined) return path;
  throw notFound(`There is no program '${program}'; it may have been deleted`);
}

function pathOf(source: ProgramSource, samples: string): string {
  if ('sample' in source) return join(samples, `${source.sample}.ts`);
  return 'graph' in source ? source.graph : source.module;
}

function statOf(path: string): Promise<Stats> {
  return stat(path).catch((error: unknown) => {
    throw fileError(`${path} cannot be read`, error);
  });
}

/** INVALID_ARGUMENT when it is too large to be shown. */
async function contentOf(path: string): Promise<Buffer> {
  const { size } = await statOf(path);
  if (size > MAX_SOURCE_BYTES) throw invalidArgument(`${path} is too large to be shown as text`);
  return readFile(path).catch((error: unknown) => {
    throw fileError(`${path} cannot be read`, error);
  });
}
