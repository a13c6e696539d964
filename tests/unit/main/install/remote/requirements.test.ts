import { describe, expect, it } from 'vitest';
import { parseProbe } from '../../../../../main/install/remote/probe.ts';
import { checkNoOtherAgent, checkPlace, platformOf } from '../../../../../main/install/remote/requirements.ts';

const NOW = 1_800_000_000_000;
const FACTS = {
  user: 'student',
  home: '/home/my dir=1',
  system: 'Linux',
  processor: 'x86_64',
  bits: '64',
  libc: '2.36',
  free: '1000000',
  writable: 'yes',
  now: String(NOW / 1000),
};

const MAC = { system: 'Darwin', processor: 'arm64', libc: '', release: '14.5', manager: 'launchd' };
const WINDOWS = { system: 'Windows', processor: 'AMD64', libc: '', release: '10.0.22631.0' };

type Facts = Partial<typeof FACTS & { missing: string; current: string; agent: string; release: string; manager: string }>;

const probe = (facts: Facts = {}, lineEnd = '\n') =>
  parseProbe(
    Object.entries({ ...FACTS, ...facts })
      .map(([key, value]) => `${key}=${value}`)
      .join(lineEnd),
    NOW + 500,
  );

describe('a machine', () => {
  it('is known by what the probe prints', () => {
    expect(probe({ current: '0123456789abcdef' })).toEqual({
      user: 'student',
      home: '/home/my dir=1',
      system: 'Linux',
      processor: 'x86_64',
      bits: 64,
      libc: '2.36',
      release: '',
      free: 1_024_000_000,
      isWritable: true,
      missing: [],
      clockOffset: 0,
      isInstalled: false,
      current: '0123456789abcdef',
      otherAgent: 0,
      serviceManager: 'none',
    });
  });

  it('with Windows is known as well, whatever its lines end with', () => {
    const found = probe({ ...WINDOWS, current: '0123456789abcdef' }, '\r\n');
    expect(found).toMatchObject({
      system: 'Windows',
      release: '10.0.22631.0',
      current: '0123456789abcdef',
    });
  });

  it.each([
    [{}, 'linux', 'x64'],
    [{ processor: 'aarch64' }, 'linux', 'arm64'],
    [{ libc: '2.28' }, 'linux', 'x64'],
    [{ bits: '' }, 'linux', 'x64'],
    [MAC, 'darwin', 'arm64'],
    [{ ...MAC, processor: 'x86_64', release: '11.0' }, 'darwin', 'x64'],
    [{ ...MAC, release: '26.1' }, 'darwin', 'arm64'],
    [WINDOWS, 'win32', 'x64'],
    [{ ...WINDOWS, processor: 'ARM64', release: '10.0.17763.0' }, 'win32', 'arm64'],
  ])('with %j gets a bundle for %s on %s', (facts, platform, arch) => {
    expect(platformOf('pc1', probe(facts))).toEqual({ platform, arch });
  });

  it.each([
    [{ system: 'FreeBSD', processor: 'amd64' }, 'pc1 runs FreeBSD amd64; Lanflow runs on Linux, macOS and Windows with'],
    [{ system: '', processor: '' }, 'pc1 runs an unknown system;'],
    [{ processor: 'armv7l' }, 'pc1 runs Linux armv7l'],
    [{ bits: '32' }, 'pc1 runs 32-bit programs only'],
    [{ libc: 'musl' }, 'glibc 2.28 or newer; on pc1 musl was found'],
    [{ libc: '' }, 'on pc1 none was found'],
    [{ libc: '2.9' }, 'on pc1 2.9 was found'],
    [{ missing: 'tar' }, 'pc1 lacks the commands tar; install them there'],
    [{ ...MAC, release: '10.15.7' }, 'Lanflow needs macOS 11.0 or newer; pc1 has 10.15.7'],
    [{ ...MAC, release: '' }, 'pc1 has another one'],
    [{ ...MAC, processor: 'Power Macintosh' }, 'pc1 runs Darwin Power Macintosh'],
    [{ ...WINDOWS, release: '10.0.17134.0' }, 'build 17763; pc1 has 10.0.17134.0'],
    [{ ...WINDOWS, release: '6.1.7601.65536' }, 'pc1 has 6.1.7601.65536'],
    [{ ...WINDOWS, processor: 'x86', bits: '32' }, 'pc1 runs Windows x86'],
  ])('with %j is refused', (facts, message) => {
    expect(() => platformOf('pc1', probe(facts))).toThrow(message);
  });

  it('with an agent of another origin is refused', () => {
    expect(() => checkNoOtherAgent('pc1', probe({ agent: '4711' }))).toThrow(
      /'student' .* runs on pc1, with process id 4711\. Stop it there/,
    );
    expect(() => checkNoOtherAgent('pc1', probe())).not.toThrow();
  });

  it.each([
    [{ free: '100' }, 'has 1 MB left, and Lanflow needs 2 MB'],
    [{ writable: '' }, 'cannot be written'],
    [{ now: String(NOW / 1000 - 3 * 86_400) }, 'The clock of pc1 is 3 days behind'],
    [{ now: String(NOW / 1000 + 13 * 3600) }, 'The clock of pc1 is 13 hours ahead'],
  ])('with %j has no place', (facts, message) => {
    expect(() => checkPlace('pc1', probe(facts), 2_000_000)).toThrow(message);
    expect(() => checkPlace('pc1', probe(), 2_000_000)).not.toThrow();
  });
});
