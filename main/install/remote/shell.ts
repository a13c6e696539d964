import { randomBytes } from 'node:crypto';
import type { ClientChannel } from 'ssh2';
import { deadlineExceeded, failedPrecondition } from '#proto/wire/status.ts';
import type { SshConnection } from '../ssh/ssh-connection.ts';

export interface ScriptResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly limitMs?: number;
}

const LIMIT_MS = 30_000;
const MAX_OUTPUT = 4 * 2 ** 20;

/** A word for sh that means exactly this text. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Runs a script of sh there, whatever the user's login shell is and whatever its start files print. The script goes by standard input,
 * so nothing of it is seen in a list of processes. Resolves however the script ends; rejects with UNAVAILABLE when the connection breaks
 * off, FAILED_PRECONDITION when the login shell runs nothing, and DEADLINE_EXCEEDED after the time limit, 30 s by default.
 */
export async function runScript(
  ssh: SshConnection,
  script: string,
  { signal, limitMs = LIMIT_MS }: RunOptions = {},
): Promise<ScriptResult> {
  signal?.throwIfAborted();
  const mark = `lanflow-${randomBytes(12).toString('hex')}`;
  const channel = await ssh.exec('exec /bin/sh');
  const { promise, done } = ended(ssh, channel, limitMs, signal);
  const [stdout, stderr] = [collect(channel), collect(channel.stderr)];
  channel.end(framed(script, mark));
  try {
    await promise;
  } finally {
    done();
  }
  const [, body, code] = new RegExp(`${mark}\\n(.*)\\n${mark} (\\d+)\\n`, 's').exec(stdout()) ?? [];
  if (body === undefined) throw noShell(ssh, stdout() || stderr());
  return { code: Number(code), stdout: body, stderr: stderr().split(`${mark}\n`).at(-1) ?? '' };
}

/** What it prints; rejects with what `explain` makes of a failure. */
export async function runOrFail(
  ssh: SshConnection,
  script: string,
  { explain, ...options }: RunOptions & { explain: (result: ScriptResult) => Error },
): Promise<string> {
  const result = await runScript(ssh, script, options);
  if (result.code !== 0) throw explain(result);
  return result.stdout;
}

/** Resolves when the channel has closed; `done` takes its listeners away. */
export function ended(
  ssh: SshConnection,
  channel: ClientChannel,
  limitMs: number,
  signal: AbortSignal | undefined,
): { readonly promise: Promise<void>; readonly done: () => void } {
  let done = (): void => undefined;
  const promise = new Promise<void>((resolve, reject) => {
    let isOver = false;
    const fail = (error: unknown): void => {
      reject(error);
      channel.close();
    };
    const onAbort = (): void => fail(signal?.reason);
    const timer = setTimeout(
      () => fail(deadlineExceeded(`${ssh.name} took longer than ${Math.round(limitMs / 1000)} s for a step`)),
      limitMs,
    );
    channel.once('exit', () => {
      isOver = true;
    });
    channel.once('close', () => (isOver ? resolve() : reject(ssh.lost())));
    channel.once('error', (error: Error) => fail(ssh.lost(error)));
    signal?.addEventListener('abort', onAbort);
    done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
  });
  return { promise, done: () => done() };
}

/** Only what comes between the marks counts; the exit status is the script's, however it exits. */
function framed(script: string, mark: string): string {
  return `printf '%s\\n' ${mark}; printf '%s\\n' ${mark} >&2
(
${script}
) </dev/null
printf '\\n%s %s\\n' ${mark} $?
`;
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_OUTPUT) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function noShell({ name, user }: SshConnection, said: string): Error {
  const words = said.trim().slice(-300);
  return failedPrecondition(
    `The login shell of '${user}' on ${name} runs no commands${words === '' ? '' : `; it says: ${words}`}. Give a user who can log in there`,
  );
}
