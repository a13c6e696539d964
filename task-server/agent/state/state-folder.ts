import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { agentFolder } from '#proto/files/agent-address.ts';
import { fileError } from '#proto/files/file-error.ts';

/** The address of a Unix domain socket holds so many bytes on the system with the shortest. */
const LONGEST_SOCKET = 103;

export interface StateFolder {
  /** `agent` in the data folder; nobody but this user can look into it. */
  readonly path: string;
  /** Where this start of the agent listens. */
  readonly socket: string;
  /** Takes away what only this start needed. */
  remove(): Promise<void>;
}

/** Rejects as `fileError` says, naming the folder, when it cannot be written. */
export async function openStateFolder(dataFolder: string, startId: string): Promise<StateFolder> {
  const path = agentFolder(dataFolder);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await chmod(path, 0o700);
    const socket = await socketPath(path, startId);
    return { path, socket, remove: () => removeSocket(socket, path) };
  } catch (error) {
    throw fileError(`${path} cannot be made`, error);
  }
}

async function socketPath(folder: string, startId: string): Promise<string> {
  // A name that cannot be guessed; who opens it must show the token besides.
  if (process.platform === 'win32') return `\\\\.\\pipe\\lanflow-agent-${startId}`;
  const inside = join(folder, `${startId}.sock`);
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET) return inside;
  // mkdtemp makes folders that only this user can look into.
  return join(await mkdtemp(join(tmpdir(), 'lanflow-agent-')), 'sock');
}

async function removeSocket(socket: string, folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await rm(socket, { force: true });
  if (dirname(socket) !== folder) await rm(dirname(socket), { recursive: true, force: true });
}
