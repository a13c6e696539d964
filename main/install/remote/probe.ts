import { unavailable } from '#proto/wire/status.ts';
import type { MachineShell } from './machine-shell.ts';
import { DATA, INSTALL, SYSTEMD_ENV } from './paths.ts';
import { OWN_PROCESSES } from './processes.ts';
import { runOrFail } from './shell.ts';

/** What is known of a machine before anything is written there. */
export interface Probe {
  readonly user: string;
  readonly home: string;
  /** As `uname -s` and `uname -m` say. */
  readonly system: string;
  readonly processor: string;
  /** Of user programs: 32 or 64; 0 when unknown. */
  readonly bits: number;
  /** Of glibc: `2.36`; empty when it has none, `musl` when it has that. */
  readonly libc: string;
  /** Of macOS or Windows: `14.5`, `10.0.19045`; empty elsewhere. */
  readonly release: string;
  /** Bytes where the installation will lie. */
  readonly free: number;
  readonly isWritable: boolean;
  /** Commands that are needed and not there. */
  readonly missing: readonly string[];
  /** Its clock is so far ahead; milliseconds. */
  readonly clockOffset: number;
  /** There is something of an installation, however much. */
  readonly isInstalled: boolean;
  /** Id of the version in use; empty when none is. */
  readonly current: string;
  /** Process id of an agent of the user's that is not the installed one; 0 when none runs. */
  readonly otherAgent: number;
  /** What can keep an agent running there, of those that need not be there; Windows always has one. */
  readonly serviceManager: 'systemd' | 'launchd' | 'none';
}

/** The commands that the scripts use, besides those that every system has. */
const COMMANDS = ['tar', 'gzip', 'df', 'cut', 'readlink'];
const LINUX_COMMANDS = [...COMMANDS, 'sha256sum', 'setsid'].join(' ');
const MAC_COMMANDS = [...COMMANDS, 'shasum', 'ps'].join(' ');

const SCRIPT = `LC_ALL=C
place=${DATA}
while [ ! -d "$place" ]; do place=$(dirname "$place"); done
say() { printf '%s=%s\\n' "$1" "$2"; }
say user "$(id -un)"
say home "$HOME"
say system "$system"
say release "$(sw_vers -productVersion 2>/dev/null)"
say processor "$(uname -m)"
say bits "$(getconf LONG_BIT 2>/dev/null)"
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d' ' -f2)
[ -n "$libc" ] || libc=$(ldd --version 2>&1 | head -n 1 | grep -i -e glibc -e 'gnu libc' | grep -o '[0-9.]*$')
[ -n "$libc" ] || for loader in /lib/ld-musl-*; do [ -e "$loader" ] && libc=musl; done
say libc "$libc"
set -- $(df -Pk "$place" 2>/dev/null | tail -n 1)
say free "$4"
if [ -w "$place" ] && [ -x "$place" ]; then say writable yes; fi
case $system in Darwin) commands='${MAC_COMMANDS}' ;; *) commands='${LINUX_COMMANDS}' ;; esac
for command in $commands; do command -v $command >/dev/null 2>&1 || say missing $command; done
say now "$(date +%s)"
[ -d ${INSTALL} ] && say installed yes
say current "$(readlink ${INSTALL}/current 2>/dev/null)"
${OWN_PROCESSES}
address() { sed -n 's/^ *"'$1'": *"\\{0,1\\}\\([^",]*\\).*/\\1/p' ${DATA}/agent/agent.json 2>/dev/null; }
pid=$(address pid)
socket=$(address socket)
# The id of one that has crashed may be another process's by now, but nobody listens there then.
if [ -n "$pid" ] && [ -n "$socket" ] && ! is_own "$pid" && kill -0 "$pid" 2>/dev/null; then
  case $system in
    Darwin) [ -S "$socket" ] && command_of "$pid" | grep -q agent ;;
    *) grep -qF "$socket" /proc/net/unix 2>/dev/null ;;
  esac && say agent "$pid"
fi
${SYSTEMD_ENV}
systemctl --user show-environment >/dev/null 2>&1 && say manager systemd
[ "$system" = Darwin ] && launchctl version >/dev/null 2>&1 && say manager launchd
true`;

/** Looks at a machine; writes nothing. */
export async function probe(shell: MachineShell, signal: AbortSignal): Promise<Probe> {
  const began = Date.now();
  const output = await runOrFail(shell, SCRIPT, {
    signal,
    explain: ({ stderr }) => unavailable(`${shell.name} could not be looked at: ${stderr.trim().slice(-300)}`),
  });
  // The clock was read some time in between.
  return parseProbe(output, (began + Date.now()) / 2);
}

const managers = ['systemd', 'launchd'] as const;

export function parseProbe(output: string, now: number): Probe {
  const facts = new Map<string, string>();
  const missing: string[] = [];
  for (const line of output.split('\n')) {
    const [, key = '', value = ''] = /^([a-z]+)=(.*?)\r?$/.exec(line) ?? [];
    if (key === 'missing') missing.push(value);
    else facts.set(key, value);
  }
  const text = (key: string): string => facts.get(key) ?? '';
  const seconds = Number(text('now'));
  return {
    user: text('user'),
    home: text('home'),
    system: text('system'),
    processor: text('processor'),
    bits: Number(text('bits')),
    libc: text('libc'),
    release: text('release'),
    free: Number(text('free')) * 1024,
    isWritable: text('writable') === 'yes',
    missing,
    // Half a second stands for the fraction that `date` leaves out.
    clockOffset: seconds > 0 ? Math.round(seconds * 1000 + 500 - now) : 0,
    isInstalled: text('installed') === 'yes',
    current: /^[0-9a-f]{16}$/.test(text('current')) ? text('current') : '',
    otherAgent: Number(text('agent')),
    serviceManager: managers.find((name) => name === text('manager')) ?? 'none',
  };
}
