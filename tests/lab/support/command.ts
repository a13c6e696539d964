import { execFile } from 'node:child_process';

export interface CommandResult {
  /** -1 when a signal or the time limit ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const LIMIT_MS = 60_000;
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs a program to its end, however that is. */
export function tryCommand(program: string, args: readonly string[], timeout = LIMIT_MS): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
      resolve({ code, stdout, stderr: stderr || (code === -1 ? String(error?.message) : '') });
    });
  });
}

/** What the program prints; rejects when it fails. */
export async function command(program: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await tryCommand(program, args);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed with ${code}: ${stderr.trim()}`);
  return stdout;
}

export const ip = (...args: readonly string[]): Promise<string> => command('ip', ...args);
