import { pipeline } from 'node:stream/promises';
import { internal, resourceExhausted, toStatusError, unavailable } from '#proto/wire/status.ts';
import type { Bundle } from '../bundle/bundle.ts';
import type { MachineShell } from './machine-shell.ts';
import { INSTALL, PLACES } from './paths.ts';
import { restOf } from './rest-of-bundle.ts';
import { exitStatus, runOrFail, type ScriptResult } from './shell.ts';

const LIMIT_MS = 20 * 60_000;
const CHECK_LIMIT_MS = 120_000;

/** Where a bundle lies until it is complete; a name of hex digits and letters, so any shell takes it as it is. */
export function partFile({ sha256 }: Pick<Bundle, 'sha256'>): string {
  return `${INSTALL}/${sha256.slice(0, 16)}.part`;
}

/**
 * Brings the bundle there. What an earlier upload has left is taken up. It is checked; a damaged one is sent once more, as a whole.
 * RESOURCE_EXHAUSTED when the disk fills up, UNAVAILABLE when the connection breaks off.
 */
export async function upload(
  shell: MachineShell,
  bundle: Bundle,
  { signal, onFraction }: { signal: AbortSignal; onFraction: (fraction: number) => void },
): Promise<void> {
  for (const isLast of [false, true]) {
    const begun = Number(await inShell(shell, `wc -c 2>/dev/null < ${partFile(bundle)} || echo 0`, signal));
    const start = begun <= bundle.size ? begun : 0;
    if (start < begun) await inShell(shell, `rm -f ${partFile(bundle)}`, signal);
    await send(shell, bundle, { start, signal, onFraction });
    const found = (await inShell(shell, `(sha256sum || shasum -a 256) < ${partFile(bundle)} 2>/dev/null | cut -d' ' -f1`, signal)).trim();
    if (found === bundle.sha256) return;
    await inShell(shell, `rm -f ${partFile(bundle)}`, signal);
    if (isLast) throw internal(`What arrives on ${shell.name} is not what was sent; its disk or the network is faulty`);
  }
}

/**
 * Through a command rather than SFTP: it works as well where start files of the login shell print something, which SFTP does not
 * survive, and where no SFTP is offered; and a full disk is told from other failures.
 */
async function send(
  shell: MachineShell,
  bundle: Bundle,
  { start, signal, onFraction }: { start: number; signal: AbortSignal; onFraction: (fraction: number) => void },
): Promise<void> {
  if (start === bundle.size) return;
  const command = await shell.exec(`exec /bin/sh -c '${PLACES}; cat >> ${partFile(bundle)}'`);
  const exit = exitStatus(shell, command, { limitMs: LIMIT_MS, signal });
  let stderr = '';
  command.stdout.resume();
  command.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  const failure = pipeline(restOf(bundle, start, onFraction), command.stdin).then(
    () => undefined,
    (error: unknown) => error,
  );
  const code = await exit;
  // When `cat` has ended early, its own words say why.
  if (code !== 0) throw writeFailure(shell, { code, stdout: '', stderr });
  const error = await failure;
  if (error) throw toStatusError(error);
}

/** Why something could not be written there. */
export function writeFailure({ name }: MachineShell, { stderr }: ScriptResult): Error {
  const words = stderr.trim().split('\n').at(-1)?.slice(-300) ?? '';
  if (/no space left/i.test(stderr)) return resourceExhausted(`The disk of ${name} is full; free some space there and try again`);
  if (/quota/i.test(stderr)) return resourceExhausted(`The disk quota on ${name} is used up; free some space there and try again`);
  return unavailable(`Lanflow could not be written on ${name}: ${words}`);
}

function inShell(shell: MachineShell, script: string, signal: AbortSignal): Promise<string> {
  return runOrFail(shell, script, { signal, limitMs: CHECK_LIMIT_MS, explain: (result) => writeFailure(shell, result) });
}
