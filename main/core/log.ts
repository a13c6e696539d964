import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const MAX_BYTES = 5 * 2 ** 20;

/** Appends lines to a file, each with its time, and shows them on stderr. A file that has grown long is put aside at the start. */
export function createLog(path: string): (line: string) => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path) && statSync(path).size > MAX_BYTES) renameSync(path, `${path}.1`);
  return (line) => {
    process.stderr.write(`${line}\n`);
    try {
      appendFileSync(path, `${new Date().toISOString()} ${line}\n`, { mode: 0o600 });
    } catch (error) {
      process.stderr.write(`The log ${path} cannot be written: ${error}\n`);
    }
  };
}
