import { type StatusError, toStatusError } from '#proto/wire/status.ts';

/** Something that the core has: absent while it is fetched, and with the error when that failed. */
export class Remote<T> {
  value = $state.raw<T | undefined>(undefined);
  error = $state.raw<StatusError | undefined>(undefined);
  readonly #fetch: () => Promise<T>;

  constructor(fetch: () => Promise<T>) {
    this.#fetch = fetch;
  }

  /** Fetches it (again). A value that is already shown stays until the new one is there. */
  readonly load = async (): Promise<void> => {
    try {
      this.value = await this.#fetch();
      this.error = undefined;
    } catch (error) {
      this.error = toStatusError(error);
    }
  };
}
