import { failedPrecondition, permissionDenied, resourceExhausted } from '#proto/wire/status.ts';
import type { Platform } from '../bundle/platform.ts';
import type { Probe } from './probe.ts';

/** What the shipped Node needs. */
const OLDEST_GLIBC = '2.28';
const OLDEST_MACOS = '11.0';
/** Of Windows 10 and Server 2019, the first with a server for SSH and with tar. */
const OLDEST_WINDOWS_BUILD = 17_763;
/** Certificates are dated back by a day; some of it is left for a clock that goes wrong later. */
const MAX_CLOCK_MS = 12 * 3_600_000;

const archs: Readonly<Record<string, string>> = { x86_64: 'x64', amd64: 'x64', aarch64: 'arm64', arm64: 'arm64' };

const systems: Readonly<Record<string, { platform: string; check: (name: string, found: Probe) => void }>> = {
  Linux: { platform: 'linux', check: checkLinux },
  Darwin: { platform: 'darwin', check: checkMacos },
  Windows: { platform: 'win32', check: checkWindows },
};

/** The platform that a bundle for this machine is made for. FAILED_PRECONDITION when Lanflow does not run there. */
export function platformOf(name: string, found: Probe): Platform {
  const { system, processor, bits, missing } = found;
  const [known, arch] = [systems[system], archs[processor.toLowerCase()]];
  if (known === undefined || arch === undefined) {
    const what = `${system || 'an unknown system'} ${processor}`.trim();
    throw failedPrecondition(`${name} runs ${what}; Lanflow runs on Linux, macOS and Windows with an x64 or arm64 processor only`);
  }
  if (bits === 32) throw failedPrecondition(`${name} runs 32-bit programs only; Lanflow needs a 64-bit system there`);
  known.check(name, found);
  if (missing.length > 0) throw failedPrecondition(`${name} lacks the commands ${missing.join(', ')}; install them there`);
  return { platform: known.platform, arch };
}

function checkLinux(name: string, { libc }: Probe): void {
  if (libc !== '' && libc !== 'musl' && !isOlder(libc, OLDEST_GLIBC)) return;
  const has = libc === '' ? 'none was found' : libc === 'musl' ? 'musl was found' : `${libc} was found`;
  throw failedPrecondition(`Lanflow needs Linux with glibc ${OLDEST_GLIBC} or newer; on ${name} ${has}`);
}

function checkMacos(name: string, { release }: Probe): void {
  if (release !== '' && !isOlder(release, OLDEST_MACOS)) return;
  throw failedPrecondition(`Lanflow needs macOS ${OLDEST_MACOS} or newer; ${name} has ${release || 'another one'}`);
}

function checkWindows(name: string, { release }: Probe): void {
  const build = Number(release.split('.')[2]);
  if (build >= OLDEST_WINDOWS_BUILD) return;
  throw failedPrecondition(
    `Lanflow needs Windows 10 of version 1809, Windows Server 2019 or newer, which is build ${OLDEST_WINDOWS_BUILD}; ${name} has ${release || 'another one'}`,
  );
}

/** Whether there is room for so many bytes and a place to write them, and the clock fits. */
export function checkPlace(name: string, { home, free, isWritable, clockOffset }: Probe, needed: number): void {
  if (!isWritable)
    throw permissionDenied(
      `The home ${home} on ${name} cannot be written: it is read-only, missing, or somebody else's. Lanflow is installed in it`,
    );
  if (free < needed) {
    throw resourceExhausted(
      `The disk of ${home} on ${name} has ${megabytes(free)} MB left, and Lanflow needs ${megabytes(needed)} MB; free some space there`,
    );
  }
  if (Math.abs(clockOffset) > MAX_CLOCK_MS) {
    const hours = Math.round(Math.abs(clockOffset) / 3_600_000);
    const off = hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
    throw failedPrecondition(
      `The clock of ${name} is ${off} ${clockOffset > 0 ? 'ahead' : 'behind'}, so no certificate would count there. Set it there first`,
    );
  }
}

/** Whether no other agent is in the way of the installed one: a user has one on each machine. FAILED_PRECONDITION when there is. */
export function checkNoOtherAgent(name: string, { user, otherAgent }: Probe): void {
  if (otherAgent === 0) return;
  throw failedPrecondition(
    `An agent of '${user}' that was not installed runs on ${name}, with process id ${otherAgent}. Stop it there, or close the Lanflow that has started it, and install again; or leave it and pair with it`,
  );
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [thanMajor = 0, thanMinor = 0] = than.split('.').map(Number);
  return major < thanMajor || (major === thanMajor && minor < thanMinor);
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);
