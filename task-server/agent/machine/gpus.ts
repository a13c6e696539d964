import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Where NVIDIA's driver for Linux lists its cards. */
const NVIDIA_CARDS = '/proc/driver/nvidia/gpus';
const LIMIT_MS = 5000;

/** Names of the graphics cards that can compute; empty when there are none, or no driver. */
export async function gpuNames(): Promise<readonly string[]> {
  try {
    const { stdout } = await promisify(execFile)('nvidia-smi', ['--query-gpu=name', '--format=csv,noheader'], {
      timeout: LIMIT_MS,
      windowsHide: true,
    });
    return parseNames(stdout);
  } catch {
    // Not there, or it fails because there is no card. The driver's own list then is all that can be had.
    return driverNames();
  }
}

export function parseNames(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

async function driverNames(): Promise<readonly string[]> {
  try {
    const cards = await readdir(NVIDIA_CARDS);
    return await Promise.all(
      cards.map(async (card) => {
        const facts = await readFile(join(NVIDIA_CARDS, card, 'information'), 'utf8');
        return /^Model:\s*(.+)$/m.exec(facts)?.[1] ?? card;
      }),
    );
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
