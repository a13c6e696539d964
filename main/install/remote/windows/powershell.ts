import { randomBytes } from 'node:crypto';
import { failedPrecondition, internal } from '#proto/wire/status.ts';
import type { SshConnection } from '../../ssh/ssh-connection.ts';
import { collect, exitStatus, type RunOptions, type ScriptResult } from '../shell.ts';

const LIMIT_MS = 60_000;

/** Of a command line of cmd.exe, which is the login shell by default. */
const LONGEST_COMMAND = 8191;

const POWERSHELL = ['powershell', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-InputFormat', 'None', '-EncodedCommand'];

/** A word for PowerShell that means exactly this text. It takes printed quotation marks for plain ones. */
export function quoteForPowerShell(text: string): string {
  return `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`;
}

/**
 * Runs a script of PowerShell there, whether the login shell is cmd.exe, PowerShell or one of Unix. The script is a word of the command
 * line: where PowerShell is the login shell, it would take standard input for itself. What the script prints with `say` is the output, and
 * what it throws the error. Rejects with FAILED_PRECONDITION when there is no PowerShell, with UNAVAILABLE when the connection breaks off,
 * and with DEADLINE_EXCEEDED after the time limit, a minute by default.
 */
export async function runPowerShell(
  ssh: SshConnection,
  script: string,
  { signal, limitMs = LIMIT_MS }: RunOptions = {},
): Promise<ScriptResult> {
  signal?.throwIfAborted();
  const mark = `lanflow-${randomBytes(8).toString('hex')}`;
  const channel = await ssh.exec(powerShellCommand(framed(script, mark)));
  const [stdout, stderr] = [collect(channel), collect(channel.stderr)];
  channel.end();
  await exitStatus(ssh, channel, { limitMs, signal });
  const [, body = '', problem = ''] = new RegExp(`${mark}\\n(.*)${mark}\\n(.*)${mark}\\n`, 's').exec(lines(stdout())) ?? [];
  if (problem === '') throw noPowerShell(ssh, stdout() || stderr());
  const message = problem.trim();
  return { code: message === GOOD ? 0 : 1, stdout: body, stderr: message === GOOD ? '' : message };
}

/** What it prints; rejects with what `explain` makes of a failure. */
export async function runOrThrow(
  ssh: SshConnection,
  script: string,
  { explain, ...options }: RunOptions & { explain: (result: ScriptResult) => Error },
): Promise<string> {
  const result = await runPowerShell(ssh, script, options);
  if (result.code !== 0) throw explain(result);
  return result.stdout;
}

/** A command line that every login shell takes as it is. PowerShell leaves standard input alone then. */
export function powerShellCommand(script: string): string {
  const compact = script.replace(/^\s+/gm, '');
  const encoded = Buffer.from(compact, 'utf16le').toString('base64');
  const command = [...POWERSHELL, encoded].join(' ');
  if (command.length > LONGEST_COMMAND)
    throw internal(`A script for Windows has ${command.length} characters; cmd.exe takes ${LONGEST_COMMAND}`);
  return command;
}

/** Function of PowerShell that prints a line, in UTF-8 and whole, whatever the system's language and the width of its windows. */
export const SAY = `$ErrorActionPreference='Stop'
$ProgressPreference='SilentlyContinue'
$out=New-Object IO.StreamWriter([Console]::OpenStandardOutput(),(New-Object Text.UTF8Encoding $false))
$out.AutoFlush=$true
function say($text){$out.WriteLine($text)}`;

const GOOD = 'good';

function framed(script: string, mark: string): string {
  return `${SAY}
say '${mark}'
$problem='${GOOD}'
try{&{
${script}
}}catch{$problem=$_.Exception.Message}
say '${mark}'
say $problem
say '${mark}'`;
}

function lines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function noPowerShell({ name, user }: SshConnection, said: string): Error {
  const words = said.trim().slice(-300).replace(/\.+$/, '');
  return failedPrecondition(`PowerShell does not run for '${user}' on ${name}${words === '' ? '' : `; it says: ${words}`}`);
}
