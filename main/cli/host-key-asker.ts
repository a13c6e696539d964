import { createInterface, type Interface } from 'node:readline/promises';
import type { InstallInfo } from '#proto/ipc/contract/machines.ts';
import type { Terminal } from './terminal.ts';

/** The user's word on host keys that are not known: given beforehand, or asked for on a terminal, one after the other. */
export class HostKeyAsker {
  readonly #acceptNew: boolean;
  readonly #terminal: Terminal;
  #lines: Interface | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ acceptNew, terminal }: { acceptNew: boolean; terminal: Terminal }) {
    this.#acceptNew = acceptNew;
    this.#terminal = terminal;
  }

  async ask({ host, message, hostKey }: InstallInfo): Promise<boolean> {
    if (this.#acceptNew) return true;
    if (!process.stdin.isTTY) {
      this.#terminal.log(
        `${host}: its host key is not known (${message}): ${hostKey}. Compare it there with ssh-keygen -lf, then add --accept-new`,
      );
      return false;
    }
    const answer = this.#last.then(async () => {
      this.#lines ??= createInterface({ input: process.stdin, output: process.stderr });
      return this.#lines.question(`${host}: ${message} has the fingerprint ${hostKey}. Is it right? (yes/no) `);
    });
    this.#last = answer.catch(() => undefined);
    return /^y(es)?$/i.test((await answer).trim());
  }

  close(): void {
    this.#lines?.close();
  }
}
