import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { deadlineExceeded, failedPrecondition } from '#proto/wire/status.ts';
import type { MachineCommand, MachineShell } from './machine-shell.ts';
import { PLACES } from './paths.ts';

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
const KILL_MS = 2000;
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
  shell: MachineShell,
  script: string,
  { signal, limitMs = LIMIT_MS }: RunOptions = {},
): Promise<ScriptResult> {
  signal?.throwIfAborted();
  const mark = `lanflow-${randomBytes(12).toString('hex')}`;
  const command = await shell.exec('exec /bin/sh');
  const [stdout, stderr] = [collect(command.stdout), collect(command.stderr)];
  command.stdin.end(framed(script, mark));
  await exitStatus(shell, command, { limitMs, signal });
  const [, body, code] = new RegExp(`${mark}\\n(.*)\\n${mark} (\\d+)\\n`, 's').exec(stdout()) ?? [];
  if (body === undefined) throw noShell(shell, stdout() || stderr());
  return { code: Number(code), stdout: body, stderr: stderr().split(`${mark}\n`).at(-1) ?? '' };
}

/** What it prints; rejects with what `explain` makes of a failure. */
export async function runOrFail(
  shell: MachineShell,
  script: string,
  { explain, ...options }: RunOptions & { explain: (result: ScriptResult) => Error },
): Promise<string> {
  const result = await runScript(shell, script, options);
  if (result.code !== 0) throw explain(result);
  return result.stdout;
}

/**
 * The exit status of a command, when nothing more comes of it; -1 when a signal has ended it. Rejects as `runScript` does.
 * @param limits `limitMs`: milliseconds that it may take
 */
export async function exitStatus(shell: MachineShell, command: MachineCommand, limits: Required<RunOptions>): Promise<number> {
  const { limitMs, signal } = limits;
  let status: number | undefined;
  let problem: Error | undefined;
  command.once('exit', (code) => {
    status = code ?? -1;
  });
  // A command that ends before it has read everything is no reason to give up: its exit status tells.
  command.stdin.on('error', (error: Error) => {
    problem = error;
  });
  const closed = new Promise<void>((resolve) => {
    // A command that ends at once may have said so before anybody could listen.
    command.once('close', (code) => {
      if (code !== undefined) status ??= code ?? -1;
      resolve();
    });
  });
  let giveUp = (_reason: unknown): void => undefined;
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const onAbort = (): void => giveUp(signal?.reason);
  const late = deadlineExceeded(`${shell.name} took longer than ${Math.round(limitMs / 1000)} s for a step`);
  const timer = setTimeout(() => giveUp(late), limitMs);
  signal?.addEventListener('abort', onAbort);
  try {
    await Promise.race([closed, givenUp]);
  } catch (error) {
    // Nothing of it may go on while what it has done is undone.
    command.signal('KILL');
    await Promise.race([closed, delay(KILL_MS)]);
    command.close();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
  if (status === undefined) throw shell.lost(problem);
  return status;
}

/** Only what comes between the marks counts; the exit status is the script's, however it exits. */
function framed(script: string, mark: string): string {
  return `printf '%s\\n' ${mark}; printf '%s\\n' ${mark} >&2
(
${PLACES}
${script}
) </dev/null
printf '\\n%s %s\\n' ${mark} $?
`;
}

/** All that comes, until now. */
export function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_OUTPUT) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function noShell({ name, user }: MachineShell, said: string): Error {
  const words = said.trim().slice(-300).replace(/\.+$/, '');
  return failedPrecondition(
    `The login shell of '${user}' on ${name} runs no commands${words === '' ? '' : `; it says: ${words}`}. Give a user who can log in there`,
  );
}
