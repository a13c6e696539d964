import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { FAKETIME } from './machine.ts';

/** What the lab's tests use of Debian, with a file that shows that it is there. */
const PACKAGES: Readonly<Record<string, string>> = {
  'avahi-daemon': '/usr/sbin/avahi-daemon',
  'avahi-utils': '/usr/bin/avahi-browse',
  libfaketime: FAKETIME,
  'openssh-server': '/usr/sbin/sshd',
};

/** Before the lab's tests: installs what is missing, where it can be. Tests that lack it say so. */
export default function installPackages(): void {
  const missing = Object.keys(PACKAGES).filter((name) => !existsSync(PACKAGES[name] ?? ''));
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  // Services stay off: the host shall not announce itself because its tests ran.
  const env = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]): boolean => spawnSync('apt-get', ['-qq', ...args], { env, stdio: 'inherit' }).status === 0;
  const install = (): boolean => apt('install', '--yes', '--no-install-recommends', ...missing);
  if (!install() && !(apt('update') && install())) console.warn(`The lab's tests lack ${missing.join(' and ')}`);
}

export const hasAvahi = (): boolean => existsSync('/usr/sbin/avahi-daemon') && existsSync('/usr/bin/avahi-browse');
