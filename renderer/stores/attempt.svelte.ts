import { type StatusError, toStatusError } from '#proto/wire/status.ts';

/** Something that a dialog tries to do, perhaps several times: whether it is under way, and why it failed the last time. */
export class Attempt {
  busy = $state.raw(false);
  error = $state.raw<StatusError | undefined>(undefined);

  /** Undefined: it failed, and `error` says why. */
  async run<T>(action: () => Promise<T>): Promise<T | undefined> {
    this.busy = true;
    this.error = undefined;
    try {
      return await action();
    } catch (error) {
      this.error = toStatusError(error);
      return undefined;
    } finally {
      this.busy = false;
    }
  }
}
