import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { failedPrecondition, notFound, unavailable } from '#proto/wire/status.ts';
import { bundlePath } from '../../program-host/bundles.ts';
import { type AddCommand, action } from '../command.ts';

export const addAppCommand: AddCommand = (program, context) => {
  program
    .command('app [files...]')
    .description('opens the desktop app, and in it the given files')
    .option('--demo', 'starts the demo')
    .action(
      action('app', context, async (signal, files: readonly string[], { demo = false }: { demo?: boolean }) => {
        requireDisplay();
        const flags = [...(demo ? ['--demo'] : []), ...sandboxFlags((text) => context.terminal.log(text))];
        await runElectron([bundlePath('shell/index.cjs'), ...flags, ...files], signal);
      }),
    );
};

function requireDisplay(): void {
  if (process.platform !== 'linux' || process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']) return;
  throw failedPrecondition(
    'There is no display here. `lanflow web` serves the same app to a browser, `lanflow demo` (npm run demo) shows it on the command line.',
  );
}

/** Chromium refuses to run as root with its sandbox on. */
function sandboxFlags(log: (text: string) => void): readonly string[] {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return [];
  log('Running as root: the sandbox of the window is off. Run it as an ordinary user to have it.');
  return ['--no-sandbox'];
}

async function runElectron(args: readonly string[], signal: AbortSignal): Promise<void> {
  const executable = findElectron();
  const child = spawn(executable, args, { stdio: 'inherit', env: { ...process.env, LANFLOW_NODE: process.execPath } });
  signal.addEventListener('abort', () => child.kill());
  const [code, by] = await exitOf(child, executable);
  if (code !== 0 && !signal.aborted)
    throw unavailable(
      `The app ended with ${by ?? `exit code ${code}`}. Where no display can be reached, lanflow web serves it to a browser`,
    );
}

async function exitOf(child: ReturnType<typeof spawn>, executable: string): Promise<readonly [number | null, NodeJS.Signals | null]> {
  try {
    return (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  } catch (error) {
    throw unavailable(`${executable} cannot be run: ${(error as Error).message}`, { cause: error });
  }
}

/** LANFLOW_ELECTRON, or npm's package if it is installed with its binary. */
function findElectron(): string {
  const given = process.env['LANFLOW_ELECTRON'];
  const executable = given ?? npmElectron();
  if (executable && existsSync(executable)) return executable;
  throw notFound(
    given
      ? `LANFLOW_ELECTRON is ${given}, which is not there`
      : 'No Electron found: npm install electron, or set LANFLOW_ELECTRON, or use `lanflow web`',
  );
}

function npmElectron(): string | undefined {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
    return join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'MODULE_NOT_FOUND' || code === 'ENOENT') return undefined;
    throw error;
  }
}
