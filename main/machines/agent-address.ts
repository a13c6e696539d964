import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { object, text } from '#proto/ipc/shape.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { type AgentClient, GrpcAgentClient } from './agent-client.ts';

interface AgentAddress {
  readonly socket: string;
  readonly token: string;
}

const addressShape = object<AgentAddress>({ socket: text({ max: 1000 }), token: text({ max: 1000 }) });
const CONNECT_MS = 1000;

/** The agent of this user that runs on this machine, by the file in which it says where it listens; undefined when none does. */
export async function findAgent(dataFolder: string, log: (line: string) => void): Promise<AgentClient | undefined> {
  const address = await readAddress(join(dataFolder, 'agent', 'agent.json'), log);
  if (!address || !(await answers(address.socket))) return undefined;
  const { socket, token } = address;
  return new GrpcAgentClient({ target: `unix:${socket}`, name: 'The agent of this machine', metadata: { 'lanflow-token': token } });
}

async function readAddress(path: string, log: (line: string) => void): Promise<AgentAddress | undefined> {
  try {
    return addressShape(JSON.parse(await readFile(path, 'utf8')), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') log(`${path} cannot be used: ${toStatusError(error).message}`);
    return undefined;
  }
}

function answers(socket: string): Promise<boolean> {
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
