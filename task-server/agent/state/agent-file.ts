import { readFile, rm } from 'node:fs/promises';
import { type AgentAddress, addressFile, answersAt } from '#proto/files/agent-address.ts';
import { fileError } from '#proto/files/file-error.ts';
import { withFileLock } from '#proto/files/file-lock.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import { alreadyExists } from '#proto/wire/status.ts';

/**
 * Publishes the address of this agent, or what has changed of it, after it has done what only the one agent of its user may do.
 * ALREADY_EXISTS when another one answers at the published address.
 */
export async function publish(folder: string, address: AgentAddress, asTheOne: () => Promise<void> = async () => {}): Promise<void> {
  const path = addressFile(folder);
  await withFileLock(path, async () => {
    const other = await readAddress(path);
    if (other && other.startId !== address.startId && (await answers(other.socket))) {
      const kind = other.installed ? 'An agent' : 'The private agent of a Lanflow app or command';
      throw alreadyExists(`${kind} runs on this machine already, with process id ${other.pid}; stop it first, or use it`);
    }
    await asTheOne();
    await writeFileAtomically(path, `${JSON.stringify(address, undefined, 2)}\n`);
  });
}

/** Takes the published address away, unless it is another agent's by now. */
export async function unpublish(folder: string, { startId }: AgentAddress): Promise<void> {
  const path = addressFile(folder);
  await withFileLock(path, async () => {
    if ((await readAddress(path))?.startId === startId) await rm(path, { force: true });
  });
}

/** Undefined when there is none that could be read. */
export async function readAddress(path: string): Promise<AgentAddress | undefined> {
  try {
    // Written by an agent of this user; a field that lacks makes it an address where nothing answers.
    return JSON.parse(await readFile(path, 'utf8')) as AgentAddress;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(`${path} cannot be read`, error);
  }
}

/** Whether an agent takes connections there; the file may hold anything. */
export async function answers(socket: unknown): Promise<boolean> {
  return typeof socket === 'string' && socket !== '' && answersAt(socket);
}
