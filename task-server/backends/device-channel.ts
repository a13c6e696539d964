import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { DeviceType } from '../engine/device.ts';
import type { CallMessage, ThreadMessage } from './messages.ts';

/** What a device thread is told when it starts. */
export interface ThreadSetup {
  /** Names of backends to try, best first. */
  readonly backends: readonly string[];
  /** Cores that one call may use. */
  readonly cores: number;
  readonly type: DeviceType;
  /** Bring the first backend up at once and send a `device` message. */
  readonly probe?: boolean;
}

export interface ChannelListener {
  message(message: ThreadMessage): void;
  /** The thread or process is gone without having been asked to; called at most once. */
  ended(reason: Error): void;
}

/** A thread or process that runs pure kernels, one call at a time. Owned by a pool. */
export interface DeviceChannel {
  /** Throws when something in the message cannot travel. */
  post(message: CallMessage): void;
  /** While held, the thread keeps this process alive; a new channel is released. */
  hold(): void;
  release(): void;
  /** Stops it at once, whatever it does; `ended` is not called. */
  close(): Promise<void>;
}

export type OpenChannel = (listener: ChannelListener) => DeviceChannel;

/** Opens threads of this process. `entry` is the built device-thread.js. */
export function threadOpener(entry: URL, setup: ThreadSetup): OpenChannel {
  return (listener) => {
    const worker = new Worker(entry, { workerData: setup, name: 'device' });
    let closing = false;
    let failure: Error | undefined;
    worker.on('message', (message: ThreadMessage) => listener.message(message));
    worker.on('error', (error) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    worker.on('exit', (code) => {
      if (!closing) listener.ended(failure ?? new Error(`the thread ended with exit code ${code}`));
    });
    worker.unref();
    return {
      post: (message) => worker.postMessage(message),
      hold: () => worker.ref(),
      release: () => worker.unref(),
      close: async () => {
        closing = true;
        await worker.terminate();
      },
    };
  };
}

/**
 * Opens child processes, for libraries that choose their GPU when the process starts: `environment` tells them which.
 * Elements travel through a pipe, so it is slower than a thread by a copy each way.
 */
export function processOpener(entry: URL, setup: ThreadSetup, environment: Readonly<Record<string, string>>): OpenChannel {
  return (listener) => {
    const child = fork(fileURLToPath(entry), [JSON.stringify(setup)], {
      env: { ...process.env, ...environment },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let closing = false;
    let done = false;
    const end = (reason: Error) => {
      if (!closing && !done) listener.ended(reason);
      done = true;
    };
    child.on('message', (message) => listener.message(message as ThreadMessage));
    child.on('error', end);
    child.on('exit', (code, signal) => end(new Error(`the process ended with ${signal ?? `exit code ${code}`}`)));
    setHeld(child, false);
    return {
      post: (message) => void child.send(message),
      hold: () => setHeld(child, true),
      release: () => setHeld(child, false),
      close: () => {
        closing = true;
        return stop(child);
      },
    };
  };
}

function setHeld(child: ChildProcess, held: boolean): void {
  const action = held ? 'ref' : 'unref';
  child[action]();
  child.channel?.[action]();
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.ref();
  child.kill('SIGKILL');
  await exited;
}
