import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, Server, type ServerChannel } from 'ssh2';
import { serveFiles } from './sftp-files.ts';

/** What a script prints, or the error that it ends with. */
export type Answer = string | { readonly error: string };

/** A step that the machine plays: known by words of its script. */
export interface PlayedStep {
  readonly name: string;
  readonly words: RegExp;
  /** `nth`: how often the step was asked for before. */
  readonly answer: (machine: WindowsMachine, nth: number) => Answer;
}

export interface WindowsMachineOptions {
  readonly steps: readonly PlayedStep[];
  /** What the login shell says to a command of Unix. */
  readonly shellSays?: string;
  readonly hasSftp?: boolean;
}

const CMD_SAYS = "'exec' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n";
export const LOCAL_APP_DATA = "C:\\Users\\o'neil $HOME\\AppData\\Local";

/**
 * An SSH server that answers as a recorded machine with Windows would: it runs no script, but knows each by its words; files that are
 * brought by SFTP are there.
 */
export class WindowsMachine {
  /** Files of the installation's folder. */
  readonly folder: string;
  readonly port: number;
  /** Names of the steps, in the order in which they were asked for. */
  readonly asked: string[] = [];
  readonly scripts: string[] = [];
  readonly #server: Server;
  readonly #connections: Set<Connection>;

  private constructor(folder: string, server: Server, connections: Set<Connection>) {
    this.folder = folder;
    this.#server = server;
    this.#connections = connections;
    // A server that listens on TCP has an address of this kind.
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(options: WindowsMachineOptions): Promise<WindowsMachine> {
    const folder = await mkdtemp(join(tmpdir(), 'lanflow-windows-'));
    const connections = new Set<Connection>();
    const server = new Server({ hostKeys: [hostKey()] }, (connection) => {
      connections.add(connection);
      connection.on('error', () => undefined).on('close', () => connections.delete(connection));
      connection.on('authentication', (login) => (login.method === 'password' ? login.accept() : login.reject(['password'])));
      connection.on('session', (accept) => {
        const session = accept();
        session.on('exec', (acceptCommand, _, { command }) => machine.#play(acceptCommand(), command, options));
        session.on('sftp', (acceptSftp, rejectSftp) => (options.hasSftp === false ? rejectSftp() : serveFiles(acceptSftp(), folder)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const machine = new WindowsMachine(folder, server, connections);
    return machine;
  }

  async stop(): Promise<void> {
    for (const connection of this.#connections) connection.end();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await rm(this.folder, { recursive: true });
  }

  #play(channel: ServerChannel, command: string, { steps, shellSays = CMD_SAYS }: WindowsMachineOptions): void {
    const [, encoded] = /^powershell .*-EncodedCommand ([\w+/=]+)$/.exec(command) ?? [];
    if (encoded === undefined) {
      end(channel, { stderr: shellSays, code: 1 });
      return;
    }
    const script = Buffer.from(encoded, 'base64').toString('utf16le');
    this.scripts.push(script);
    if (script.includes('lanflow-lock:')) this.#holdLock(channel, script);
    else this.#answer(channel, script, steps);
  }

  #answer(channel: ServerChannel, script: string, steps: readonly PlayedStep[]): void {
    const step = steps.find(({ words }) => words.test(script));
    if (!step) {
      this.asked.push(`not recorded: ${script}`);
      end(channel, { stderr: 'No such step is recorded', code: 1 });
      return;
    }
    const answer = step.answer(this, this.asked.filter((name) => name === step.name).length);
    this.asked.push(step.name);
    const [, mark = ''] = /^say '(lanflow-[0-9a-f]+)'$/m.exec(script) ?? [];
    const [text, problem] = typeof answer === 'string' ? [answer, 'good'] : ['', answer.error];
    const body = text === '' ? '' : `${text}\n`;
    end(channel, { stdout: `${mark}\n${body}${mark}\n${problem}\n${mark}\n`.replaceAll('\n', '\r\n'), code: 0 });
  }

  /** As the script says: until the beat is taken away. */
  #holdLock(channel: ServerChannel, script: string): void {
    this.asked.push('lock');
    const beat = join(this.folder, /beat-[0-9a-f]+/.exec(script)?.[0] ?? randomBytes(4).toString('hex'));
    writeFileSync(beat, '');
    channel.write('lanflow-lock: locked\r\n');
    const watch = setInterval(() => {
      if (existsSync(beat)) return;
      clearInterval(watch);
      this.asked.push('unlock');
      end(channel, { code: 0 });
    }, 20);
    channel.on('close', () => clearInterval(watch));
  }
}

function hostKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }).toString();
}

function end(channel: ServerChannel, { stdout = '', stderr = '', code }: { stdout?: string; stderr?: string; code: number }): void {
  channel.stderr.write(stderr);
  channel.write(stdout);
  channel.exit(code);
  channel.end();
}
