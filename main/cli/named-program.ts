import { basename, resolve } from 'node:path';
import { failedPrecondition } from '#proto/wire/status.ts';
import { isGraphPath } from '../program-host/load-graph.ts';
import type { ProgramSource } from '../program-host/protocol.ts';
import { findProgram } from '../programs/index.ts';
import { isStranger, titleOf } from '../store/program-facts.ts';
import { ownName, ownProgram } from '../store/program-name.ts';
import type { Terminal } from './terminal.ts';
import { userStore } from './user-store.ts';

/** A program, and what it is called where runs of it are kept. */
export interface NamedProgram<S extends ProgramSource = ProgramSource> {
  readonly source: S;
  /** As the app names it. */
  readonly name: string;
  readonly title: string;
}

export type NamedGraph = NamedProgram<{ readonly graph: string }>;

export function isGraph(program: NamedProgram): program is NamedGraph {
  return 'graph' in program.source;
}

/**
 * A sample's name, that of one of the user's own programs as the app shows it (`own/NAME`), or the path of a module or a graph.
 * NOT_FOUND when there is no such own program, FAILED_PRECONDITION when it came from elsewhere and has not been let run yet.
 */
export async function namedProgram(text: string, terminal: Terminal): Promise<NamedProgram> {
  if (isGraphPath(text)) return pathProgram({ graph: resolve(text) }, text);
  if (/\.[cm]?[jt]s$/.test(text)) return pathProgram({ module: resolve(text) }, text);
  const own = ownName(text);
  if (own !== undefined) return programOfUser(own, terminal);
  return { source: { sample: text }, name: text, title: findProgram(text)?.title ?? text };
}

function pathProgram(source: Exclude<ProgramSource, { sample: string }>, path: string): NamedProgram {
  return { source, name: resolve(path), title: basename(path) };
}

async function programOfUser(name: string, terminal: Terminal): Promise<NamedProgram> {
  const { programFiles, programFacts } = userStore(terminal);
  const file = await programFiles.find(name);
  const facts = (await programFacts.read())[name];
  const title = titleOf(file, facts);
  if (isStranger(file, facts)) {
    throw failedPrecondition(
      `'${title}' came from ${facts?.origin} and can do everything you can on this computer: let it run in the app first`,
    );
  }
  return { source: file.kind === 'code' ? { module: file.path } : { graph: file.path }, name: ownProgram(name), title };
}
