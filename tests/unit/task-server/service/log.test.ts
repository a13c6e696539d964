import { expect, it } from 'vitest';
import { createLog, type LogOptions } from '../../../../task-server/service/log.ts';

function linesOf(options: Partial<LogOptions>, use: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  use(createLog({ write: (line) => lines.push(line), now: () => new Date(0), ...options }));
  return lines;
}

it('writes one line per message, with time and level', () => {
  expect(linesOf({}, (log) => log.warning('two\nlines'))).toEqual(['1970-01-01T00:00:00.000Z WARNING two\\nlines\n']);
});

it('drops what is below its level', () => {
  expect(linesOf({ level: 'error' }, (log) => log.warning('x'))).toEqual([]);
});

it('traces only the areas that are switched on', () => {
  const lines = linesOf({ trace: 'rpc,rendezvous' }, (log) => {
    log.trace('rpc', 'a');
    log.trace('executor', 'b');
  });
  expect(lines).toEqual(['1970-01-01T00:00:00.000Z TRACE rpc a\n']);
  expect(linesOf({ trace: 'all' }, (log) => log.trace('executor', 'b'))).toHaveLength(1);
});
