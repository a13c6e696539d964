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

const probe = (facts: Partial<typeof FACTS & { missing: string; current: string; agent: string }> = {}) =>
  parseProbe(
    Object.entries({ ...FACTS, ...facts })
      .map(([key, value]) => `${key}=${value}`)
      .join('\n'),
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

  it.each([
    [{}, 'x64'],
    [{ processor: 'aarch64' }, 'arm64'],
    [{ libc: '2.28' }, 'x64'],
    [{ bits: '' }, 'x64'],
  ])('with %j gets a bundle for %s', (facts, arch) => {
    expect(platformOf('pc1', probe(facts))).toEqual({ platform: 'linux', arch });
  });

  it.each([
    [{ system: 'Darwin', processor: 'arm64' }, 'pc1 runs Darwin arm64; Lanflow is installed by SSH on Linux'],
    [{ system: '', processor: '' }, 'pc1 runs an unknown system;'],
    [{ processor: 'armv7l' }, 'pc1 runs Linux armv7l'],
    [{ bits: '32' }, 'pc1 runs 32-bit programs only'],
    [{ libc: 'musl' }, 'glibc 2.28 or newer; on pc1 musl was found'],
    [{ libc: '' }, 'on pc1 none was found'],
    [{ libc: '2.9' }, 'on pc1 2.9 was found'],
    [{ missing: 'tar' }, 'pc1 lacks the commands tar; install them there'],
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
