import { existsSync } from 'node:fs';
import { join, parse } from 'node:path';

/** Where a file of this name can be written in a folder without replacing another: `loss.csv`, `loss (2).csv`. */
export function freePath(folder: string, file: string): string {
  const { name, ext } = parse(file);
  for (let number = 1; ; number++) {
    const path = join(folder, number === 1 ? file : `${name} (${number})${ext}`);
    if (!existsSync(path)) return path;
  }
}
