import coverage from '../../../../docs/coverage.md?raw';

/** Ops that a bundled task has a kernel for: those in the published table. */
export const servedOps: ReadonlySet<string> = new Set(opsIn(coverage));

/** The first column of the table under the heading `Ops`. */
export function opsIn(page: string): readonly string[] {
  const [, section = ''] = page.split(/^## Ops$/m);
  return [...section.matchAll(/^\| ([A-Z]\w*) \|/gm)].map(([, op = '']) => op);
}
