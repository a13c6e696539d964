import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { toStatusError, unavailable } from '#proto/wire/status.ts';
import type { MachineShell } from '../remote/machine-shell.ts';
import { LocalCommand } from './local-command.ts';

export interface LocalShellOptions {
  /** Of this machine. */
  readonly name: string;
  readonly user: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a login gives to a command. The rest is the terminal's or the program's that has started us, and no agent shall depend on it. */
const KEPT = ['PATH', 'SHELL', 'LANG'];

/** Runs commands on this machine as they run on others by SSH, without anything between. */
export class LocalShell implements MachineShell {
  readonly name: string;
  readonly user: string;
  readonly isLost = false;
  readonly #home: string;
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor({ name, user, home, env }: LocalShellOptions) {
    this.name = name;
    this.user = user;
    this.#home = home;
    const kept = Object.fromEntries(KEPT.map((variable) => [variable, env[variable]]));
    this.#env = { ...kept, HOME: home, USER: user, LOGNAME: user };
  }

  /** In a session of its own: Ctrl-C in a terminal is for whoever waits for it, and a closed terminal does not end an agent. */
  async exec(command: string): Promise<LocalCommand> {
    const child = spawn('/bin/sh', ['-c', command], { cwd: this.#home, env: this.#env, detached: true });
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw this.lost(error);
    }
    return new LocalCommand(child);
  }

  lost(cause?: unknown): Error {
    const why = cause === undefined ? 'it ended without a word' : toStatusError(cause).message;
    return unavailable(`No command can be run on ${this.name}: ${why}`, { cause });
  }
}
