import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Shipped {
  readonly name: string;
  readonly files: readonly string[];
  readonly isNative?: boolean;
  readonly isOptional?: boolean;
}

interface ShippedPackages {
  shippedPackages(target: { platform: string; arch: string }): readonly Shipped[];
  taskPackagesOfAll(): Readonly<Record<string, readonly Shipped[]>>;
}

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const { shippedPackages, taskPackagesOfAll }: ShippedPackages = await import(join(root, 'scripts/package/shipped-packages.mjs'));
const here = { platform: process.platform, arch: process.arch };
const all = shippedPackages(here);

describe('the packages that are shipped', () => {
  it.each(all.filter(({ name }) => existsSync(join(root, 'node_modules', name))))(
    '$name has all files that are named',
    ({ name, files }) => {
      for (const file of files) expect(existsSync(join(root, 'node_modules', name, file)), file).toBe(true);
    },
  );

  it('hold all modules that the parts of ssh2 require', () => {
    const files = all.find(({ name }) => name === 'ssh2')?.files ?? [];
    const required = files
      .filter((file) => file.endsWith('.js'))
      .flatMap((file) =>
        [...readFileSync(join(root, 'node_modules/ssh2', file), 'utf8').matchAll(/require\('(\.[^']+\.js)'\)/g)].map(([, path]) =>
          normalize(join(dirname(file), path ?? '')),
        ),
      );
    expect(required.length).toBeGreaterThan(20);
    expect(files).toEqual(expect.arrayContaining(required));
  });

  it('are a part of them on other machines: what agent and tasks need', () => {
    const { [`${here.platform}-${here.arch}`]: ofTasks = [], ...others } = taskPackagesOfAll();
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(ofTasks.map(({ name }) => name)));
    expect(ofTasks.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['ssh2']));
    expect(Object.keys(others)).toHaveLength(5);
  });
});
