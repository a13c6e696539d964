import { toStatusError } from '#proto/wire/status.ts';

export interface Toast {
  readonly id: number;
  readonly tone: 'ok' | 'bad';
  readonly text: string;
}

const SHOWN_FOR = 5000;
const MOST = 4;

/** Short notes on what was done or went wrong. Good news goes away by itself; errors stay until they are closed. */
export class Toasts {
  all = $state.raw<readonly Toast[]>([]);
  #lastId = 0;

  readonly say = (text: string): void => {
    const id = this.#add('ok', text);
    setTimeout(() => this.close(id), SHOWN_FOR);
  };

  readonly fail = (error: unknown): void => {
    const { codeName, message } = toStatusError(error);
    this.#add('bad', `${codeName}: ${message}`);
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

  #add(tone: Toast['tone'], text: string): number {
    const id = ++this.#lastId;
    this.all = [...this.all, { id, tone, text }].slice(-MOST);
    return id;
  }
}
