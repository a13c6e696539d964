import { Code, failedPrecondition, StatusError } from '#proto/wire/status.ts';
import type { SshConnection } from '../ssh/ssh-connection.ts';
import { posixSteps } from './posix-steps.ts';
import { runScript } from './shell.ts';
import type { RemoteSteps } from './steps.ts';
import { findLocalAppData } from './windows/place.ts';
import { windowsSteps } from './windows/windows-steps.ts';

/** Shells of Unix that run on Windows. */
const ON_WINDOWS = /^(MINGW|MSYS|CYGWIN)/;

/** Finds out how the machine is worked on. FAILED_PRECONDITION when its login shell runs no commands. */
export async function findSteps(ssh: SshConnection, signal: AbortSignal): Promise<RemoteSteps> {
  let noShell: StatusError | undefined;
  try {
    const { stdout } = await runScript(ssh, 'echo "$system"', { signal });
    if (!ON_WINDOWS.test(stdout)) return posixSteps(ssh, stdout.trim());
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== Code.FAILED_PRECONDITION) throw error;
    noShell = error;
  }
  const folder = await findLocalAppData(ssh, signal);
  if (folder !== undefined) return windowsSteps(ssh, folder);
  throw noShell ?? failedPrecondition(`PowerShell does not run on ${ssh.name}, which Lanflow needs on Windows`);
}
