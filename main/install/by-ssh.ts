import type { SshLogin, SshTarget } from '#proto/ipc/contract/machines.ts';
import { type InstallEnv, type Installed, install, type WorkEnv } from './install.ts';
import { findSteps } from './remote/find-steps.ts';
import { SshConnection } from './ssh/ssh-connection.ts';
import type { SshEnv } from './ssh/ssh-env.ts';
import { type Uninstalled, uninstall } from './uninstall.ts';
import type { Workplace } from './workplace.ts';

export interface SshWorkEnv extends WorkEnv {
  readonly ssh: SshEnv;
  readonly login: SshLogin;
}

/** Installs the agent on another machine. Rejects as `SshConnection.open`, `findSteps` and `install` do. */
export function installBySsh(target: SshTarget, env: SshWorkEnv & InstallEnv): Promise<Installed> {
  return loggedIn(target, env, (place) => install(place, env));
}

/** Removes it there. Rejects as `SshConnection.open`, `findSteps` and `uninstall` do. */
export function uninstallBySsh(target: SshTarget, env: SshWorkEnv): Promise<Uninstalled> {
  return loggedIn(target, env, (place) => uninstall(place, env));
}

async function loggedIn<T>(
  target: SshTarget,
  { ssh: env, login, signal, onProgress }: SshWorkEnv,
  work: (place: Workplace) => Promise<T>,
): Promise<T> {
  onProgress({ stage: 'connecting' });
  const shell = await SshConnection.open(target, login, { env, signal });
  try {
    return await work({ shell, steps: await findSteps(shell, signal) });
  } finally {
    shell.close();
  }
}
