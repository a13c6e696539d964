import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { failedPrecondition, permissionDenied, resourceExhausted, toStatusError } from '#proto/wire/status.ts';

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

/** PERMISSION_DENIED or RESOURCE_EXHAUSTED, naming the folder, when it cannot be written. */
export async function openStateFolder(dataFolder: string, startId: string): Promise<StateFolder> {
  const path = join(dataFolder, 'agent');
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await chmod(path, 0o700);
    const socket = await socketPath(path, startId);
    return { path, socket, remove: () => removeSocket(socket, path) };
  } catch (error) {
    throw folderError(path, error);
  }
}

/** What keeps the folder from being used, in words. */
export function folderError(path: string, error: unknown) {
  const { code } = error as NodeJS.ErrnoException;
  const options = { cause: error };
  if (code === 'ENOSPC' || code === 'EDQUOT') return resourceExhausted(`${path} cannot be written: the disk is full`, options);
  if (code === 'EACCES' || code === 'EPERM') return permissionDenied(`${path} cannot be written: access is denied`, options);
  if (code === 'EROFS') return permissionDenied(`${path} cannot be written: the file system is read-only`, options);
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return failedPrecondition(`${path} cannot be made: a part of its path is no folder`, options);
  return toStatusError(error);
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
