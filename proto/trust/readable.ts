import { invalidArgument, toStatusError } from '#proto/wire/status.ts';

/** What was parsed; INVALID_ARGUMENT, with the name of it, when that is not possible. */
export function readable<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw invalidArgument(`The ${what} cannot be read: ${toStatusError(error).message}`, { cause: error });
  }
}
