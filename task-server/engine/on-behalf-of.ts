import { StatusError, toStatusError } from '#proto/wire/status.ts';

/** Does `work`; what that throws has the name of the node among its details. */
export function onBehalfOf<T>(node: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code, message, cause, derived, details } = toStatusError(error);
    throw new StatusError(code, message, { cause, derived, details: { ...details, node } });
  }
}
