import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  /** Called with the process once it runs. */
  readonly onStart?: (child: { readonly pid: number; kill(signal: NodeJS.Signals): void; stderr(): string }) => void;
}

const cli = fileURLToPath(new URL('../../dist/cli/index.js', import.meta.url));

/** Runs `lanflow` to its end. */
export function runCli(args: readonly string[], { cwd, onStart }: CliOptions = {}): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd && { cwd }) });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    onStart?.({ pid: child.pid ?? 0, kill: (signal) => child.kill(signal), stderr: () => stderr });
  });
}
