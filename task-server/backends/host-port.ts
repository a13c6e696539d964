import type { MessagePort } from 'node:worker_threads';
import type { ThreadSetup } from './device-channel.ts';
import type { HostPort } from './device-host.ts';

interface Hosting {
  readonly port: HostPort;
  readonly setup: ThreadSetup;
}

/** How to talk to whoever started this thread or, without a parent port, this process. */
export function hostPort(parentPort: MessagePort | null, workerData: unknown): Hosting {
  return parentPort ? { port: threadPort(parentPort), setup: workerData as ThreadSetup } : processHosting();
}

function threadPort(port: MessagePort): HostPort {
  return {
    send: (message) => port.postMessage(message),
    receive: (listener) => void port.on('message', listener),
  };
}

/** Ends by itself when the channel to its parent closes, since nothing else keeps it alive. */
function processHosting(): Hosting {
  const port: HostPort = {
    send: (message) => void process.send?.(message),
    receive: (listener) => void process.on('message', listener),
  };
  return { port, setup: JSON.parse(process.argv[2] ?? '{}') as ThreadSetup };
}
