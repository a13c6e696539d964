import { isAbsolute } from 'node:path';
import { parseArgs } from 'node:util';
import { list, object, type Shape, text } from '#proto/ipc/shape.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import type { HostProgram } from './programs/host-programs.ts';

const path: Shape<string> = (value, where) => {
  const checked = text()(value, where);
  if (isAbsolute(checked)) return checked;
  throw invalidArgument(`${where} must be a whole path, not '${checked}'`);
};

const programs = list(object<HostProgram>({ path, title: text({ max: 200 }) }), { max: 1000 });

/** What the host application of an embedded core wants: `--host-programs [{"path": …, "title": …}]`. INVALID_ARGUMENT, with the place. */
export function readHostPrograms(args: readonly string[]): readonly HostProgram[] {
  const { values } = parseArgs({ args: [...args], options: { 'host-programs': { type: 'string' } } });
  return programs(JSON.parse(values['host-programs'] ?? '[]'), 'programs');
}
