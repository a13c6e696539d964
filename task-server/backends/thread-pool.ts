import { cancelled, type StatusError, toStatusError, unavailable } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { PureCall } from '../engine/device.ts';
import type { DeviceChannel, OpenChannel } from './device-channel.ts';
import { arrived, packCall, type ThreadMessage, unpackError } from './messages.ts';
import { threadEnded } from './thread-errors.ts';

export interface ThreadPoolOptions {
  /** For messages: the device's full name. */
  readonly device: string;
  /** Threads at most; they are started when calls wait for one. */
  readonly size: number;
  readonly open: OpenChannel;
  readonly log: (text: string) => void;
  /** How long a cancelled call may keep its thread before the thread is stopped and replaced. */
  readonly graceMs?: number;
}

interface Job {
  readonly call: PureCall;
  readonly settle: (result: Settled) => void;
  settled: boolean;
}

type Settled = { readonly outputs: readonly Tensor[] } | { readonly error: unknown };

interface Thread {
  readonly channel: DeviceChannel;
  job: Job | undefined;
  grace: NodeJS.Timeout | undefined;
}

/**
 * Threads that run the calls of one device, first come, first served, each thread one call at a time. Idle threads do
 * not keep the process alive. A thread that ends takes down its own call (INTERNAL) and is replaced when needed.
 */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #queue = new Set<Job>();
  readonly #idle: Thread[] = [];
  readonly #threads = new Set<Thread>();
  #disposed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** Rejects with the signal's reason as soon as it is aborted, whatever becomes of the computation. */
  run(call: PureCall, signal?: AbortSignal): Promise<Tensor[]> {
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    if (this.#disposed) return Promise.reject(unavailable(`Device ${this.#options.device} is shut down`));
    return new Promise((resolve, reject) => {
      const abort = () => this.#abort(job, abortReason(signal));
      const settle = (result: Settled) => {
        if (job.settled) return;
        job.settled = true;
        signal?.removeEventListener('abort', abort);
        if ('outputs' in result) resolve([...result.outputs]);
        else reject(result.error);
      };
      const job: Job = { call, settle, settled: false };
      signal?.addEventListener('abort', abort, { once: true });
      this.#queue.add(job);
      this.#assign();
    });
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    const error = cancelled(`Device ${this.#options.device} is shutting down`);
    for (const job of this.#queue) job.settle({ error });
    this.#queue.clear();
    await Promise.all([...this.#threads].map((thread) => this.#stop(thread, error)));
  }

  #assign(): void {
    for (const job of this.#queue) {
      const thread = this.#idle.pop() ?? this.#start();
      if (!thread) return;
      this.#queue.delete(job);
      this.#post(thread, job);
    }
  }

  #start(): Thread | undefined {
    if (this.#threads.size >= this.#options.size) return undefined;
    const channel = this.#options.open({
      message: (message) => this.#receive(thread, message),
      ended: (reason) => this.#ended(thread, reason),
    });
    const thread: Thread = { channel, job: undefined, grace: undefined };
    this.#threads.add(thread);
    return thread;
  }

  #post(thread: Thread, job: Job): void {
    thread.job = job;
    thread.channel.hold();
    try {
      thread.channel.post(packCall(job.call));
    } catch (error) {
      job.settle({ error: toStatusError(error) });
      this.#free(thread);
    }
  }

  #receive(thread: Thread, message: ThreadMessage): void {
    if (!this.#threads.has(thread)) return;
    if (message.kind === 'log') this.#options.log(`${this.#options.device}: ${message.text}`);
    if (message.kind === 'done') thread.job?.settle({ outputs: arrived(message.outputs) });
    if (message.kind === 'failed') thread.job?.settle({ error: unpackError(message.error) });
    if (message.kind !== 'done' && message.kind !== 'failed') return;
    this.#free(thread);
    this.#assign();
  }

  #free(thread: Thread): void {
    clearTimeout(thread.grace);
    thread.grace = undefined;
    thread.job = undefined;
    thread.channel.release();
    this.#idle.push(thread);
  }

  #abort(job: Job, error: StatusError): void {
    this.#queue.delete(job);
    job.settle({ error });
    for (const thread of this.#threads) if (thread.job === job) this.#abandon(thread, error);
  }

  /** The call goes on unseen; its thread is stopped if that takes long. */
  #abandon(thread: Thread, error: StatusError): void {
    thread.channel.release();
    thread.grace = setTimeout(() => {
      void this.#stop(thread, error);
      this.#assign();
    }, this.#options.graceMs ?? 1000);
    thread.grace.unref();
  }

  #ended(thread: Thread, reason: Error): void {
    const { device, log } = this.#options;
    this.#forget(thread);
    const error = threadEnded(device, reason, thread.job?.call);
    log(error.message);
    thread.job?.settle({ error });
    this.#assign();
  }

  async #stop(thread: Thread, error: StatusError): Promise<void> {
    this.#forget(thread);
    thread.job?.settle({ error });
    await thread.channel.close();
  }

  #forget(thread: Thread): void {
    clearTimeout(thread.grace);
    this.#threads.delete(thread);
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

function abortReason(signal: AbortSignal | undefined): StatusError {
  return toStatusError(signal?.reason);
}
