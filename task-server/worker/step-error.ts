import { DERIVED_MARK, isDerived, type StatusError } from '#proto/wire/status.ts';

/**
 * The one error that a worker reports for a step, from those of its partitions: the root error, or all of them in
 * TensorFlow's list when several partitions failed for reasons of their own. An error that passes another one on (a Recv
 * whose Send failed) and the consequences of cancellation do not count. If there is nothing else, the first of these
 * with the mark by which old masters know it.
 */
export function stepError(errors: readonly StatusError[], partitions: number): StatusError | undefined {
  const [first] = errors;
  if (!first) return undefined;
  const roots = errors.filter((error) => !isDerived(error) && !errors.some((other) => passesOn(error, other)));
  const [root] = roots;
  if (!root) return marked(first);
  if (roots.length === 1) return root;
  const list = roots.map(({ codeName, message }, index) => `  (${index}) ${codeName}: ${message}`);
  return root.withMessage(
    [
      `${roots.length} root error(s) found.`,
      ...list,
      `${partitions - errors.length} successful operations.`,
      `${errors.length - roots.length} derived errors ignored.`,
    ].join('\n'),
  );
}

function passesOn(error: StatusError, other: StatusError): boolean {
  return error !== other && error.message.length > other.message.length && error.message.startsWith(other.message);
}

function marked(error: StatusError): StatusError {
  return error.message.includes(DERIVED_MARK) ? error : error.withMessage(`${DERIVED_MARK}${error.message}`);
}
