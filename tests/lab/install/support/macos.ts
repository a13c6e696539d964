import type { LabMachine } from '../../support/machine.ts';
import { asUser } from './ssh-server.ts';

const log = (name: string): string => `/tmp/launchd-of-${name}`;

export interface MacOptions {
  /** launchd takes no service of this user. */
  readonly refuses?: boolean;
}

/** For this user the machine is a Mac as far as scripts can tell: its commands are there, and those that it lacks are not. */
export async function addMacCommands(machine: LabMachine, name: string, { refuses = false }: MacOptions = {}): Promise<void> {
  const commands = {
    uname: 'case $1 in -m) echo arm64 ;; -n) exec /bin/uname -n ;; *) echo Darwin ;; esac',
    sw_vers: 'echo 14.5',
    getconf: 'case $1 in LONG_BIT) echo 64 ;; *) exit 64 ;; esac',
    mv: `case $1 in *T*) echo 'mv: illegal option -- T' >&2; exit 64 ;; esac; exec /bin/mv "$@"`,
    ...Object.fromEntries(['setsid', 'sha256sum', 'systemctl', 'loginctl'].map((command) => [command, 'exit 127'])),
    launchctl: refuses ? 'exit 125' : LAUNCHCTL.replaceAll('LOG', log(name)),
  };
  const files = Object.entries(commands).map(([command, script]) => `cat > bin/${command} <<'SCRIPT'\n#!/bin/sh\n${script}\nSCRIPT`);
  await asUser(machine, name, `mkdir bin && echo 'PATH=$HOME/bin:$PATH' > .bashrc\n${files.join('\n')}\nchmod +x bin/*`);
}

export async function launchctlCalls(machine: LabMachine, name: string): Promise<readonly string[]> {
  return (await machine.shell(`cat ${log(name)}.calls`)).split('\n');
}

/** Knows no domain but the one that every login has; runs what the property list says. */
const LAUNCHCTL = `echo "launchctl $*" >> LOG.calls
domain=user/$(id -u)
pid() { cat LOG.pid 2>/dev/null; }
case $1 in
  bootstrap)
    [ "$2" = "$domain" ] || exit 125
    words=$(sed -n '/<array>/,/<\\/array>/s#<string>\\(.*\\)</string>#"\\1"#p' "$3" | tr '\\n' ' ')
    output=$(sed -n 's#.*<key>StandardOutPath</key><string>\\(.*\\)</string>#\\1#p' "$3")
    eval "exec nohup $words" </dev/null >> "$output" 2>&1 &
    echo $! > LOG.pid ;;
  bootout) kill "$(pid)" 2>/dev/null || exit 3; while kill -0 "$(pid)" 2>/dev/null; do sleep 0.1; done ;;
  print) kill -0 "$(pid)" 2>/dev/null && echo '	state = running' ;;
esac`;
