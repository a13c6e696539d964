import { readFile } from 'node:fs/promises';
import { type AgentAddress, addressFile, agentFolder, answersAt } from '#proto/files/agent-address.ts';
import { flag, object, text } from '#proto/ipc/shape.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { type AgentClient, GrpcAgentClient } from './agent-client.ts';

type Reachable = Pick<AgentAddress, 'socket' | 'token'> & Partial<Pick<AgentAddress, 'keepsTasks'>>;

const addressShape = object<Reachable>({ socket: text({ max: 1000 }), token: text({ max: 1000 }) }, { keepsTasks: flag });

/** The agent of this user that runs on this machine, by the file in which it says where it listens; undefined when none does. */
export async function findAgent(dataFolder: string, log: (line: string) => void): Promise<AgentClient | undefined> {
  const address = await readAddress(addressFile(agentFolder(dataFolder)), log);
  if (!address || !(await answersAt(address.socket))) return undefined;
  const { socket, token } = address;
  return new GrpcAgentClient({ target: `unix:${socket}`, name: 'The agent of this machine', metadata: { 'lanflow-token': token } });
}

/** Whether the last agent of this user left tasks that go on: another one is on its way then, if none answers. */
export async function isAgentExpected(dataFolder: string, log: (line: string) => void): Promise<boolean> {
  return (await readAddress(addressFile(agentFolder(dataFolder)), log))?.keepsTasks ?? false;
}

async function readAddress(path: string, log: (line: string) => void): Promise<Reachable | undefined> {
  try {
    return addressShape(JSON.parse(await readFile(path, 'utf8')), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') log(`${path} cannot be used: ${toStatusError(error).message}`);
    return undefined;
  }
}
