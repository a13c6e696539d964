import type { InstallInfo, SshTarget } from '#proto/ipc/contract/machines.ts';
import { Code, cancelled, toStatusError } from '#proto/wire/status.ts';
import type { Progress } from './progress.ts';
import type { Slots } from './slots.ts';
import type { HostKeyQuestion } from './ssh/ssh-env.ts';

export interface JobOptions {
  readonly target: SshTarget;
  readonly kind: InstallInfo['kind'];
  readonly slots: Slots;
  /** `isSmall`: only the fraction has grown. */
  readonly onChange: (isSmall: boolean) => void;
}

/** The work on one machine, and how far it is. */
export class InstallJob {
  readonly #stop = new AbortController();
  readonly #options: JobOptions;
  #info: InstallInfo;
  #hasBegun = false;
  #answer: ((accept: boolean) => void) | undefined;

  constructor(options: JobOptions) {
    this.#options = options;
    this.#info = { ...options.target, kind: options.kind, stage: 'connecting', fraction: 0, message: '', hostKey: '' };
  }

  get info(): InstallInfo {
    return this.#info;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isOver(): boolean {
    return ['done', 'failed', 'cancelled'].includes(this.#info.stage);
  }

  /** Does the work when its turn comes; it resolves to what is there then. Never rejects. */
  async run(work: () => Promise<string>): Promise<void> {
    const { slots } = this.#options;
    await slots.take();
    this.#hasBegun = true;
    try {
      this.signal.throwIfAborted();
      this.report({ stage: 'done', message: await work() });
    } catch (error) {
      const { code, message } = toStatusError(error);
      if (this.signal.aborted && code === Code.CANCELLED) this.report({ stage: 'cancelled', message });
      else this.report({ stage: 'failed', message });
    } finally {
      slots.give();
    }
  }

  report({ stage, fraction = 0, message = '' }: Progress): void {
    const isSmall = stage === this.#info.stage && message === this.#info.message;
    this.#info = { ...this.#info, stage, fraction, message, hostKey: '' };
    this.#options.onChange(isSmall);
  }

  /** Waits for the user's word. Others may work meanwhile, so that all questions can be answered together. */
  async ask({ host, type, fingerprint }: HostKeyQuestion): Promise<boolean> {
    const { slots } = this.#options;
    this.report({ stage: 'host key', message: `${type} of ${host}` });
    this.#info = { ...this.#info, hostKey: fingerprint };
    this.#options.onChange(false);
    slots.give();
    try {
      return await new Promise((resolve) => {
        this.#answer = resolve;
      });
    } finally {
      this.#answer = undefined;
      await slots.take();
      // Work that was cancelled has not waited for it.
      if (!this.signal.aborted) this.report({ stage: 'connecting' });
    }
  }

  answer(accept: boolean): void {
    this.#answer?.(accept);
  }

  cancel(): void {
    const reason = cancelled('Cancelled; the machine is as it was before');
    this.#stop.abort(reason);
    this.#answer?.(false);
    if (!this.#hasBegun) this.report({ stage: 'cancelled', message: reason.message });
  }
}
