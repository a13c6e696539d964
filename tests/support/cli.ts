import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  /** Where runs are recorded; a folder that goes away with this process by default. */
  readonly dataFolder?: string;
  /** Called with the process once it runs. */
  readonly onStart?: (child: { readonly pid: number; kill(signal: NodeJS.Signals): void; stderr(): string }) => void;
}

const cli = fileURLToPath(new URL('../../dist/cli/index.js', import.meta.url));

let ownFolder: string | undefined;

/** Not the user's: tests must not show up in an app that runs on this machine. */
function ownDataFolder(): string {
  if (ownFolder !== undefined) return ownFolder;
  const folder = mkdtempSync(join(tmpdir(), 'lanflow-cli-data-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  ownFolder = folder;
  return folder;
}

/** Runs `lanflow` to its end. */
export function runCli(args: readonly string[], { cwd, dataFolder = ownDataFolder(), onStart }: CliOptions = {}): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, LANFLOW_DATA: dataFolder };
    const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env, ...(cwd && { cwd }) });
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
