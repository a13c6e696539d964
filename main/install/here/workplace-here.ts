import { hostname, type } from 'node:os';
import { failedPrecondition } from '#proto/wire/status.ts';
import { posixSteps } from '../remote/posix-steps.ts';
import type { OwnSurroundings } from '../ssh/ssh-env.ts';
import type { Workplace } from '../workplace.ts';
import { LocalShell } from './local-shell.ts';

/** This machine, worked on as its user. FAILED_PRECONDITION on Windows, where nothing is installed without SSH. */
export function workplaceHere({ env, platform, home, userName }: OwnSurroundings): Workplace {
  const name = hostname();
  if (platform === 'win32')
    throw failedPrecondition(
      `On Windows the agent is installed from another machine only: turn the SSH server of ${name} on and run lanflow install ${name} there, or start the agent here by lanflow agent`,
    );
  const shell = new LocalShell({ name, user: userName, home, env });
  return { shell, steps: posixSteps(shell, type()) };
}
