import {
  failedPrecondition,
  internal,
  notFound,
  permissionDenied,
  resourceExhausted,
  type StatusError,
  toStatusError,
} from '../wire/status.ts';

const factories: Readonly<Record<string, { readonly make: typeof internal; readonly why: string }>> = {
  ENOSPC: { make: resourceExhausted, why: 'the disk is full; free some space and try again' },
  EDQUOT: { make: resourceExhausted, why: 'your disk quota is used up; free some space and try again' },
  EACCES: { make: permissionDenied, why: 'access is denied' },
  EPERM: { make: permissionDenied, why: 'access is denied' },
  EROFS: { make: permissionDenied, why: 'the file system is read-only' },
  ENOTDIR: { make: failedPrecondition, why: 'a part of its path is no folder' },
  EEXIST: { make: failedPrecondition, why: 'a part of its path is no folder' },
  ENOENT: { make: notFound, why: 'it is not there' },
};

/** What an error of the file system means for the user; `what` begins the sentence: `/x/settings.json cannot be written`. */
export function fileError(what: string, error: unknown): StatusError {
  const known = factories[(error as NodeJS.ErrnoException).code ?? ''];
  if (known) return known.make(`${what}: ${known.why}`, { cause: error });
  const { message } = toStatusError(error);
  return internal(`${what}: ${message}`, { cause: error });
}
