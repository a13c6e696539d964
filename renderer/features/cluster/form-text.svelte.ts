import type { JobDraft } from '#proto/ipc/contract.ts';
import { type StatusError, toStatusError } from '#proto/wire/status.ts';

/** A pause in the typing after which a text is read. */
const PAUSE = 350;

type Parse = (text: string) => Promise<{ readonly jobs: readonly JobDraft[] }>;

/** A text of a cluster while somebody changes it: read whenever the typing pauses, with what it means or what is wrong with it. */
export class FormText {
  /** Undefined while nobody has changed it. */
  text = $state.raw<string | undefined>(undefined);
  /** Undefined while the text is being read, or cannot be. */
  jobs = $state.raw<readonly JobDraft[] | undefined>(undefined);
  error = $state.raw<StatusError | undefined>(undefined);
  readonly #parse: Parse;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parse: Parse) {
    this.#parse = parse;
  }

  change(text: string): void {
    this.text = text;
    this.jobs = undefined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#read(text), PAUSE);
  }

  discard(): void {
    clearTimeout(this.#timer);
    this.text = undefined;
    this.jobs = undefined;
    this.error = undefined;
  }

  /** An answer that comes when the text is another one already is nobody's. */
  async #read(text: string): Promise<void> {
    try {
      const { jobs } = await this.#parse(text);
      if (text !== this.text) return;
      this.jobs = jobs;
      this.error = undefined;
    } catch (error) {
      if (text === this.text) this.error = toStatusError(error);
    }
  }
}
