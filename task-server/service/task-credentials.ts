import { Credentials } from '#proto/trust/credentials.ts';
import { identitiesText } from '#proto/trust/identity.ts';
import { type TlsFiles, tlsFilesOf, type Variables } from '#proto/trust/tls-files.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import type { Log } from './log.ts';

export interface TaskCredentialsEnv {
  /** Where no files are given, the environment may name some. */
  readonly variables: Variables;
  readonly log: Log;
}

/**
 * What a task shows to its lab; undefined when it speaks plain text only. INVALID_ARGUMENT for the certificate of another task or of
 * no task at all. A user's certificate that merely stands in the environment is for clients, so a task goes without it.
 */
export function taskCredentials(
  task: string,
  given: TlsFiles | undefined,
  { variables, log }: TaskCredentialsEnv,
): Credentials | undefined {
  const files = given ?? tlsFilesOf(variables);
  if (!files) return undefined;
  const credentials = new Credentials(files, log.warning);
  const { own } = credentials;
  const tasks = own.filter(({ kind }) => kind === 'task');
  const isRight = tasks.length > 0 ? tasks.some(({ name }) => name === task) : own.some(({ kind }) => kind === 'machine');
  if (isRight) return credentials;
  if (!given && tasks.length === 0) {
    log.info(`no TLS: the certificate ${files.cert} is for ${identitiesText(own)}, and a task needs one for a task or a machine`);
    return undefined;
  }
  throw invalidArgument(`The certificate ${files.cert} is for ${identitiesText(own)}, and cannot be used by ${task}`);
}
