import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidArgument, unimplemented } from '#proto/wire/status.ts';
import { programs } from '../../programs/index.ts';
import type { AreaHandlers } from '../handler.ts';
import { programSource } from '../run-control.ts';

const MAX_SOURCE_BYTES = 2 ** 20;

/** `sources`: folder with the text of each sample, under its name. */
export function programHandlers(sources: string): AreaHandlers<'programs'> {
  return {
    'programs.list': () =>
      programs.map(({ name, title, cluster, virtualGpus = 0, task }) => ({
        ...{ name, title, cluster, virtualGpus },
        kind: 'sample',
        clients: task ? 'per task' : 'one',
      })),
    'programs.read': async ({ program }) => {
      const source = programSource(program);
      const path = 'module' in source ? source.module : join(sources, `${source.sample}.ts`);
      if ((await stat(path)).size > MAX_SOURCE_BYTES) throw invalidArgument(`${path} is too large to be the source of a program`);
      return { source: await readFile(path, 'utf8') };
    },
    'programs.create': () => {
      throw unimplemented('programs.create is not there yet');
    },
    'programs.import': () => {
      throw unimplemented('programs.import is not there yet');
    },
    'programs.write': () => {
      throw unimplemented('programs.write is not there yet');
    },
    'programs.rename': () => {
      throw unimplemented('programs.rename is not there yet');
    },
    'programs.delete': () => {
      throw unimplemented('programs.delete is not there yet');
    },
    'programs.check': () => {
      throw unimplemented('programs.check is not there yet');
    },
    'programs.complete': () => {
      throw unimplemented('programs.complete is not there yet');
    },
    'programs.pins': () => {
      throw unimplemented('programs.pins is not there yet');
    },
    'programs.setPins': () => {
      throw unimplemented('programs.setPins is not there yet');
    },
  };
}
