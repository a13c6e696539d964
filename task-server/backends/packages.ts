import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The file that a package starts with: of one beside Lanflow, else of the machine's component. Undefined when neither has it. */
export function findPackage(name: string, component = process.env['LANFLOW_COMPONENT']): string | undefined {
  const beside = resolveFrom(import.meta.url, name);
  return beside ?? (component ? resolveFrom(join(component, 'package.json'), name) : undefined);
}

function resolveFrom(place: string, name: string): string | undefined {
  try {
    return createRequire(place).resolve(name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
