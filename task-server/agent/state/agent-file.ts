import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { alreadyExists } from '#proto/wire/status.ts';
import { withFileLock } from './file-lock.ts';

/** Where the agent of a user is found: `agent/agent.json` in the data folder, readable by that user only. */
export interface AgentAddress {
  readonly pid: number;
  readonly startId: string;
  /** Path of a Unix domain socket, or name of a pipe on Windows. */
  readonly socket: string;
  /** What callers have to show: on Windows others could open the pipe. */
  readonly token: string;
  readonly installed: boolean;
  readonly version: string;
}

const CONNECT_MS = 1000;

/** Publishes the address of this agent. ALREADY_EXISTS when another one answers at the published address. */
export async function publish(folder: string, address: AgentAddress): Promise<void> {
  const path = join(folder, 'agent.json');
  await withFileLock(path, async () => {
    const other = await readAddress(path);
    if (other && (await answers(other.socket))) {
      const kind = other.installed ? 'An agent' : 'The private agent of a Lanflow app or command';
      throw alreadyExists(`${kind} runs on this machine already, with process id ${other.pid}; stop it first, or use it`);
    }
    const temporary = `${path}.${process.pid}.tmp`;
    await writeFile(temporary, `${JSON.stringify(address, undefined, 2)}\n`, { mode: 0o600 });
    await rename(temporary, path);
  });
}

/** Takes the published address away, unless it is another agent's by now. */
export async function unpublish(folder: string, { startId }: AgentAddress): Promise<void> {
  const path = join(folder, 'agent.json');
  await withFileLock(path, async () => {
    if ((await readAddress(path))?.startId === startId) await rm(path, { force: true });
  });
}

async function readAddress(path: string): Promise<AgentAddress | undefined> {
  try {
    // Written by an agent of this user; a field that lacks makes it an address where nothing answers.
    return JSON.parse(await readFile(path, 'utf8')) as AgentAddress;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function answers(socket: unknown): Promise<boolean> {
  if (typeof socket !== 'string' || socket === '') return Promise.resolve(false);
  return new Promise((resolve) => {
    const connection = connect(socket);
    const finish = (does: boolean): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(does);
    };
    const timer = setTimeout(() => finish(false), CONNECT_MS);
    connection.once('connect', () => finish(true));
    connection.once('error', () => finish(false));
  });
}
