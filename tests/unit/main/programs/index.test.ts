import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findProgram, programs } from '../../../../main/programs/index.ts';

const folder = fileURLToPath(new URL('../../../../main/programs', import.meta.url));
const shared = ['index.ts', 'bystander.ts', 'check.ts', 'data.ts', 'trace.ts'];
const modules = readdirSync(folder).filter((file) => !shared.includes(file));

describe('the sample programs', () => {
  it('are all listed, each once, under the name of its file', () => {
    expect(programs.map(({ name }) => name).sort()).toEqual(modules.map((file) => basename(file, '.ts')).sort());
  });

  it('are found by name', () => {
    expect(findProgram('ps-workers')?.name).toBe('ps-workers');
    expect(findProgram('PS-Workers')).toBeUndefined();
  });

  it.each(programs)('$name has what a list shows and a run needs', ({ name, title, cluster, check }) => {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(title).toMatch(/^[A-Z][^\n]{9,69}[^.]$/);
    expect(Object.values(cluster).every((tasks) => Number.isInteger(tasks) && tasks > 0)).toBe(true);
    expect(check).toBeTypeOf('function');
  });
});
