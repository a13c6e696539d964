import { toStatusError } from '#proto/wire/status.ts';

export interface Toast {
  readonly id: number;
  readonly tone: 'ok' | 'warn' | 'bad';
  readonly text: string;
  readonly action?: ToastAction;
}

/** What a toast offers to do. */
export interface ToastAction {
  readonly title: string;
  run(): unknown;
}

const SHOWN_FOR = 5000;
/** With something to press. */
const OFFERED_FOR = 12_000;
const MOST = 4;

/** Short notes on what was done or went wrong. Good news goes away by itself; warnings and errors stay until they are closed. */
export class Toasts {
  all = $state.raw<readonly Toast[]>([]);
  #lastId = 0;

  readonly say = (text: string, action?: ToastAction): void => {
    const id = this.#add({ tone: 'ok', text, ...(action && { action }) });
    setTimeout(() => this.close(id), action ? OFFERED_FOR : SHOWN_FOR);
  };

  /** Something that happened by itself, and that the user should know of. */
  readonly warn = (text: string): void => {
    this.#add({ tone: 'warn', text });
  };

  readonly fail = (error: unknown): void => {
    const { codeName, message } = toStatusError(error);
    this.#add({ tone: 'bad', text: `${codeName}: ${message}` });
  };

  /** Does it, and says so when it fails. */
  readonly guard = async (action: () => Promise<unknown>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      this.fail(error);
    }
  };

  readonly close = (id: number): void => {
    this.all = this.all.filter((toast) => toast.id !== id);
  };

  #add(toast: Omit<Toast, 'id'>): number {
    const id = ++this.#lastId;
    this.all = [...this.all, { ...toast, id }].slice(-MOST);
    return id;
  }
}
