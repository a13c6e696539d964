import type { LabMachine } from '../../support/machine.ts';
import { asUser } from './ssh-server.ts';

const log = (name: string): string => `/tmp/systemd-of-${name}`;

/** Stand-ins for `systemctl --user` and `loginctl`, which need a bus: they note how they are called, and run what the unit says. */
export async function addSystemd(machine: LabMachine, name: string): Promise<void> {
  await asUser(
    machine,
    name,
    `mkdir bin && echo 'PATH=$HOME/bin:$PATH' > .bashrc
cat > bin/systemctl <<'SCRIPT'\n${SYSTEMCTL.replaceAll('LOG', log(name))}\nSCRIPT
cat > bin/loginctl <<'SCRIPT'\n${LOGINCTL.replaceAll('LOG', log(name))}\nSCRIPT
chmod +x bin/*`,
  );
}

export async function systemdCalls(machine: LabMachine, name: string): Promise<readonly string[]> {
  return (await machine.shell(`cat ${log(name)}.calls`)).split('\n');
}

const SYSTEMCTL = `#!/bin/sh
echo "systemctl $*" >> LOG.calls
units=$HOME/.config/systemd/user
pid() { cat LOG.pid 2>/dev/null; }
for verb; do case $verb in
  stop) kill "$(pid)" 2>/dev/null; while kill -0 "$(pid)" 2>/dev/null; do sleep 0.1; done ;;
  enable) ln -sf "$units/lanflow-agent.service" "$units/default.target.wants/" ;;
  disable) rm -f "$units/default.target.wants/lanflow-agent.service" ;;
  is-active) kill -0 "$(pid)" 2>/dev/null; exit ;;
  restart)
    value() { sed -n "s#^$1=##p" "$units/lanflow-agent.service" | sed "s#%h#$HOME#g"; }
    output=$(value StandardOutput)
    eval "exec setsid $(value ExecStart)" </dev/null >> "\${output#append:}" 2>&1 &
    echo $! > LOG.pid ;;
esac; done
exit 0`;

const LOGINCTL = `#!/bin/sh
echo "loginctl $*" >> LOG.calls
case $1 in
  show-user) if [ -e LOG.linger ]; then echo yes; else echo no; fi ;;
  enable-linger) : > LOG.linger ;;
  disable-linger) rm LOG.linger ;;
esac`;
