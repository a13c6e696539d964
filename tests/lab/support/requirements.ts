import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';

function canMakeLab(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return spawnSync('unshare', ['--net', '--mount', '--pid', '--fork', 'true']).status === 0 && spawnSync('ip', ['-V']).status === 0;
}

const possible = canMakeLab();

/** Tests that need a lab; skipped, with the reason in their name, where none can be made. */
export function describeLab(name: string, tests: () => void): void {
  if (possible) describe(name, tests);
  else describe.skip(`[needs root and network namespaces] ${name}`, tests);
}
