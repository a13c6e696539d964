import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ownPython = fileURLToPath(new URL('../../.cache/venv/bin/python', import.meta.url));

/** A Python that has TensorFlow: the one that `npm test` names, or the one that it installed. Undefined without either. */
export const python: string | undefined = process.env['LANFLOW_PYTHON'] ?? (existsSync(ownPython) ? ownPython : undefined);

/** How tests that need a genuine TensorFlow are named, so that `npm test` counts and explains those it skips. */
export function withTensorFlow(name: string): string {
  return python === undefined ? `[needs TensorFlow] ${name}` : name;
}

/** The same, for code that only runs inside such tests. */
export function requirePython(): string {
  if (python === undefined) throw new Error('No Python with TensorFlow: set LANFLOW_PYTHON, or run npm test once');
  return python;
}
