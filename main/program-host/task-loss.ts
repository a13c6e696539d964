import { Code, StatusError } from '#proto/wire/status.ts';

/**
 * Is it the error of a step that ran into a task which is gone, or has restarted and knows nothing of the session any more? The
 * session cannot be used again then; another one can, once the task is back.
 */
export function isTaskLoss(error: unknown): error is StatusError {
  if (!(error instanceof StatusError)) return false;
  if (error.code === Code.UNAVAILABLE) return true;
  return (
    error.code === Code.ABORTED && /Session handle is not found|just restarted|probably restarted|Session .*not found/.test(error.message)
  );
}

/** Errors of other tasks begin with a line that says which: that and the next line, in one. */
export function lossText({ message }: StatusError): string {
  const [first = '', second = ''] = message.split('\n');
  return /^From \S+:$/.test(first) ? second : first;
}
