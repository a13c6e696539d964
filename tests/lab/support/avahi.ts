import type { LabMachine } from './machine.ts';

/** Debian's responder for multicast DNS; it ends with the machine. */
export async function startAvahi(machine: LabMachine): Promise<void> {
  await machine.shell('mkdir -p /run/dbus /run/avahi-daemon && dbus-daemon --system --fork');
  await machine.shell('avahi-daemon --no-drop-root --no-chroot --no-rlimits --daemonize');
}

/** Before avahi starts: it tells the LAN of an SSH server, as machines do that are meant to be found. */
export async function announceSsh(machine: LabMachine, name: string): Promise<void> {
  await machine.shell(`mkdir -p /etc/avahi/services && cat > /etc/avahi/services/ssh.service <<'END'
<service-group><name>${name}</name><service><type>_ssh._tcp</type><port>22</port></service></service-group>
END`);
}
