import { Worker } from 'node:worker_threads';

const EVERY_MS = 1000;

/** On a thread of its own: a program in an endless loop keeps the main thread from hearing that its parent is gone. */
const watch = `
  const { workerData: parent } = require('node:worker_threads');
  const isThere = () => {
    if (process.platform !== 'win32') return process.ppid === parent;
    try {
      return process.kill(parent, 0);
    } catch {
      return false;
    }
  };
  setInterval(() => isThere() || process.kill(process.pid, 'SIGKILL'), ${EVERY_MS});
`;

/** Ends this process within about a second after its parent, whatever it is doing. */
export function endWithParent(): void {
  new Worker(watch, { eval: true, workerData: process.ppid }).unref();
}
