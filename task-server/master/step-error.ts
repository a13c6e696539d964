import { DERIVED_MARK, isDerived, type StatusError, toStatusError } from '#proto/wire/status.ts';

/** An error with the task it came from, in the shape that TensorFlow's clients know, without the marks between tasks. */
export function fromTask(error: unknown, task: string): StatusError {
  const status = toStatusError(error);
  return status.withMessage(`From ${task}:\n${status.message.replaceAll(DERIVED_MARK, '')}`);
}

/** A partition's failure. */
export interface Failure {
  readonly task: string;
  readonly error: StatusError;
}

/**
 * The one error of a step, with its task: the first root cause. Consequences of cancellation count only when there is
 * nothing else, and so does the error of a task that passes on what another one reports itself.
 */
export function rootFailure(failures: readonly Failure[]): StatusError | undefined {
  const roots = failures.filter(({ error }) => !isDerived(error));
  const first = roots.find(({ error }) => !roots.some((other) => passesOn(error, other.error))) ?? roots[0] ?? failures[0];
  return first && fromTask(first.error, first.task);
}

function passesOn(error: StatusError, other: StatusError): boolean {
  return error.message.length > other.message.length && error.message.startsWith(other.message);
}
