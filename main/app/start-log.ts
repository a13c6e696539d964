import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A log of this start: a new file each time, as whoever clicked an icon sees nothing of stderr. Also to stderr. */
export function openStartLog(path: string, head: string): (text: string) => void {
  const line = (text: string): string => `${new Date().toISOString()} ${text}\n`;
  const keep = (write: () => void): void => {
    try {
      write();
    } catch (error) {
      // A disk that is full must not keep the app from starting.
      process.stderr.write(`${path} cannot be written: ${(error as Error).message}\n`);
    }
  };
  keep(() => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, line(head));
  });
  return (text) => {
    process.stderr.write(`${text}\n`);
    keep(() => appendFileSync(path, line(text)));
  };
}
