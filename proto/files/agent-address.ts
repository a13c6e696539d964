import { connect } from 'node:net';
import { join } from 'node:path';

/** Where the agent of a user is found. Written by the agent, readable by that user only. */
export interface AgentAddress {
  readonly pid: number;
  readonly startId: string;
  /** Path of a Unix domain socket, or name of a pipe on Windows. */
  readonly socket: string;
  /** What callers have to show: on Windows others could open the pipe. */
  readonly token: string;
  readonly installed: boolean;
  /** Its tasks outlive it: where nobody answers, the next one is on its way. */
  readonly keepsTasks: boolean;
  readonly version: string;
  /** Where it answers other machines; undefined when it does not. */
  readonly port?: number | undefined;
}

const CONNECT_MS = 1000;

/** The agent's own folder in the data folder. */
export function agentFolder(dataFolder: string): string {
  return join(dataFolder, 'agent');
}

/** Path of the file that holds an `AgentAddress` as JSON. */
export function addressFile(folder: string): string {
  return join(folder, 'agent.json');
}

/** Whether anybody takes connections there; given up after a second. */
export function answersAt(socket: string): Promise<boolean> {
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
