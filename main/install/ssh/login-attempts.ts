import { join } from 'node:path';
import type { AnyAuthMethod } from 'ssh2';
import type { SshLogin } from '#proto/ipc/contract/machines.ts';
import { Code, toStatusError } from '#proto/wire/status.ts';
import { readPrivateKey } from './private-key.ts';
import { answerPrompts } from './prompts.ts';
import type { SshSettings } from './ssh-settings.ts';

/** One way to be let in. */
export interface LoginAttempt {
  /** For people: `password`, `key ~/.ssh/id_ed25519`. */
  readonly label: string;
  readonly method: 'publickey' | 'keyboard-interactive' | 'password';
  readonly auth: AnyAuthMethod;
}

export interface LoginAttempts {
  readonly attempts: readonly LoginAttempt[];
  /** Why keys that are there are not tried. */
  readonly notes: readonly string[];
}

/** Those that OpenSSH tries by itself. */
const USUAL_KEYS = ['id_ed25519', 'id_ecdsa', 'id_rsa'];

/** All ways, in the order in which they are tried. Rejects when the key that the user has chosen cannot be used. */
export async function loginAttempts(settings: SshSettings, login: Omit<SshLogin, 'user'>, home: string): Promise<LoginAttempts> {
  const { user: username, agent, identityFiles } = settings;
  const attempts: LoginAttempt[] = [];
  const notes: string[] = [];
  const addKey = async (path: string): Promise<void> => {
    const key = await readPrivateKey(path, login.passphrase);
    attempts.push({ label: `key ${path.replace(home, '~')}`, method: 'publickey', auth: { type: 'publickey', username, key } });
  };
  const chosen = login.keyFile.replace(/^~(?=[/\\])/, home);
  if (chosen !== '') await addKey(chosen);
  if (agent !== undefined) attempts.push({ label: 'SSH agent', method: 'publickey', auth: { type: 'agent', username, agent } });
  const keys = [...identityFiles, ...USUAL_KEYS.map((name) => join(home, '.ssh', name))];
  for (const path of new Set(keys)) {
    if (path === chosen) continue;
    try {
      await addKey(path);
    } catch (error) {
      const { code, message } = toStatusError(error);
      if (code !== Code.NOT_FOUND) notes.push(message);
    }
  }
  if (login.password !== '') {
    const prompt = answerPrompts(login.password, notes);
    attempts.push({
      label: 'keyboard-interactive',
      method: 'keyboard-interactive',
      auth: { type: 'keyboard-interactive', username, prompt },
    });
    attempts.push({ label: 'password', method: 'password', auth: { type: 'password', username, password: login.password } });
  }
  return { attempts, notes };
}
