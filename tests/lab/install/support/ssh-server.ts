import { quote } from '../../../../main/install/remote/shell.ts';
import type { LabMachine } from '../../support/machine.ts';

export const HOST_KEY = '/etc/ssh/lab_key';

export interface UserOptions {
  readonly password?: string;
  readonly shell?: string;
  /** Of the home, on a disk of its own; `10m`. */
  readonly disk?: string;
}

/** An SSH server, until the machine ends. Resolves to its process id. */
export async function startSshd(
  machine: LabMachine,
  { port = 22, lines = [] }: { port?: number; lines?: readonly string[] } = {},
): Promise<number> {
  await machine.shell(`test -e ${HOST_KEY} || ssh-keygen -q -t ed25519 -N '' -f ${HOST_KEY}`);
  const config = [
    // The first one counts.
    ...lines,
    `Port ${port}`,
    `HostKey ${HOST_KEY}`,
    'UsePAM no',
    'KbdInteractiveAuthentication no',
    'MaxStartups 100',
    `PidFile /run/sshd-${port}.pid`,
  ];
  await machine.shell(`cat > /etc/ssh/lab_${port} <<'END'\n${config.join('\n')}\nEND\n/usr/sbin/sshd -f /etc/ssh/lab_${port}`);
  return Number(await machine.shell(`sleep 0.1; cat /run/sshd-${port}.pid`));
}

/** An account with a home. */
export async function addUser(
  machine: LabMachine,
  name: string,
  { password = 'secret', shell = '/bin/bash', disk }: UserOptions = {},
): Promise<void> {
  // Only the files themselves take any name.
  const uid = 2000 + Number(await machine.shell('wc -l < /etc/passwd'));
  const home = homeOf(name);
  const folder = quote(home);
  const hash = (await machine.shell(`openssl passwd -6 -stdin <<'END'\n${password}\nEND`)).trim();
  await machine.shell(`mkdir ${folder}
${disk === undefined ? '' : `mount -t tmpfs -o size=${disk} tmpfs ${folder}`}
chown ${uid}:${uid} ${folder} && chmod 755 ${folder}
cat >> /etc/passwd <<'END'
${name}:x:${uid}:${uid}::${home}:${shell}
END
cat >> /etc/group <<'END'
${name}:x:${uid}:
END
cat >> /etc/shadow <<'END'
${name}:${hash}:19000:0:99999:7:::
END`);
}

export function homeOf(name: string): string {
  return `/home/${name}`;
}

/** As that user, at the machine itself. */
export function asUser(machine: LabMachine, name: string, script: string): Promise<string> {
  return machine.shell(`su -s /bin/sh ${quote(name)} <<'END'\ncd\n${script}\nEND`);
}

/** All files of the home, with their modes and what links lead to. */
export function homeTree(machine: LabMachine, name: string): Promise<string> {
  return machine.shell(`cd ${quote(homeOf(name))} && find . -printf '%p %m %l\\n' | sort`);
}

/** Processes of the user, without those that have ended and wait to be noticed. */
export async function processesOf(machine: LabMachine, name: string): Promise<readonly string[]> {
  const output = await machine.shell(`ps -u "$(id -u ${quote(name)})" -o args= || true`);
  return output.split('\n').filter((line) => line !== '' && !line.endsWith('<defunct>'));
}

/** As if it had crashed: at once, and its tasks with it. */
export async function killAgent(machine: LabMachine, name: string): Promise<void> {
  await machine.shell(
    `for pid in $(pgrep -u ${quote(name)} node); do kill -KILL $pid; done; while pgrep -u ${quote(name)} node; do sleep 0.1; done >/dev/null`,
  );
}

/** As if it had crashed, while its tasks go on. */
export async function killAgentOnly(machine: LabMachine, name: string): Promise<void> {
  await machine.shell(`kill -KILL $(pgrep -u ${quote(name)} -f task-server/agent.js)`);
}

/** Cuts the user's SSH connections. */
export async function cutConnections(machine: LabMachine, name: string): Promise<void> {
  await machine.shell(`for pid in $(pgrep -u ${quote(name)} sshd); do kill -KILL $pid; done`);
}
