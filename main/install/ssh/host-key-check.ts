import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileError } from '#proto/files/file-error.ts';
import { failedPrecondition, permissionDenied, type StatusError } from '#proto/wire/status.ts';
import { readIfThere } from './config-files.ts';
import {
  type Contradiction,
  fingerprint,
  judgeHostKey,
  type KnownHostsFile,
  keyType,
  knownHostsLine,
  knownKeyTypes,
  type Verdict,
} from './known-hosts.ts';
import type { SshEnv } from './ssh-env.ts';
import type { SshSettings } from './ssh-settings.ts';

/** The check of a host's key against known_hosts, as OpenSSH does it. */
export class HostKeyCheck {
  readonly #settings: SshSettings;
  readonly #files: readonly KnownHostsFile[];
  /** Also where known_hosts keeps nothing, as /dev/null. */
  #accepted: Buffer | undefined;

  private constructor(settings: SshSettings, files: readonly KnownHostsFile[]) {
    this.#settings = settings;
    this.#files = files;
  }

  static async load(settings: SshSettings): Promise<HostKeyCheck> {
    const files = settings.knownHosts.map(async (path) => ({ path, content: await readIfThere(path) }));
    return new HostKeyCheck(settings, await Promise.all(files));
  }

  get knownTypes(): readonly string[] {
    return knownKeyTypes(this.#files, this.#settings.keyName);
  }

  judge(key: Buffer): Verdict {
    if (this.#accepted?.equals(key)) return { kind: 'known' };
    return judgeHostKey(this.#files, this.#settings.keyName, key);
  }

  /** Asks the user about a key that is unknown and notes it; rejects when it is not to be trusted, with the reason. */
  async settle(key: Buffer, ask: SshEnv['askHostKey']): Promise<void> {
    const verdict = this.judge(key);
    if (verdict.kind === 'known') return;
    if ('path' in verdict) throw refusal(this.#settings, key, verdict);
    const { name, strict } = this.#settings;
    const question = { host: name, type: keyType(key), fingerprint: fingerprint(key) };
    if (strict === 'yes') {
      throw permissionDenied(
        `The key of ${name} is not known and ~/.ssh/config forbids new ones (StrictHostKeyChecking): ${question.type} ${question.fingerprint}`,
      );
    }
    if (strict === 'ask' && !(await ask(question)))
      throw permissionDenied(`The key of ${name} was not accepted: ${question.type} ${question.fingerprint}`);
    await this.#note(key);
    this.#accepted = key;
  }

  async #note(key: Buffer): Promise<void> {
    const [path = ''] = this.#settings.knownHosts;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const content = await readIfThere(path);
      // It may have been noted for another connection while the user was asked.
      if (judgeHostKey([{ path, content }], this.#settings.keyName, key).kind === 'known') return;
      const start = content === '' || content.endsWith('\n') ? '' : '\n';
      await appendFile(path, start + knownHostsLine(this.#settings.keyName, key, this.#settings.hashKnownHosts), { mode: 0o600 });
    } catch (error) {
      throw fileError(`${path} cannot be written`, error);
    }
  }
}

function refusal({ name, keyName }: SshSettings, key: Buffer, { kind, path, line, fingerprint: known }: Contradiction): StatusError {
  const shown = `${keyType(key)} ${fingerprint(key)}`;
  if (kind === 'revoked') return permissionDenied(`The key of ${name} is revoked: ${shown} (${path}, line ${line})`);
  return failedPrecondition(
    `The key of ${name} has changed: line ${line} of ${path} has ${known}, but it shows ${shown}. Either the machine was installed anew, ` +
      `or somebody else answers in its place. Ask who runs it; if it is right, remove the old key with: ssh-keygen -R '${keyName}' -f '${path}'`,
  );
}
