import { describe, expect, it } from 'vitest';
import { wasAway } from '../../../../../task-server/agent/tasks/lapse.ts';
import { LogRing } from '../../../../../task-server/agent/tasks/log-ring.ts';
import { RestartPolicy } from '../../../../../task-server/agent/tasks/restart-policy.ts';
import { StepRate } from '../../../../../task-server/agent/tasks/step-rate.ts';
import { addressOf, flagsOf, taskId } from '../../../../../task-server/agent/tasks/task-setup.ts';

describe('the pauses before a restart', () => {
  it('grow while the task ends soon, up to 30 s, and begin anew after a steady minute', () => {
    const policy = new RestartPolicy();
    expect(Array.from({ length: 8 }, () => policy.nextPause(10))).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect([policy.nextPause(60_000), policy.nextPause(10)]).toEqual([500, 1000]);
  });

  it('begin anew when somebody has started it', () => {
    const policy = new RestartPolicy();
    policy.nextPause(10);
    policy.reset();
    expect(policy.nextPause(10)).toBe(500);
  });
});

describe('the log of a task', () => {
  const numbers = (ring: LogRing, from: number, most?: number) => ring.from(from, most).map(({ number }) => number);

  it('keeps the last lines, numbered from the first one ever', () => {
    const ring = new LogRing(5);
    for (let i = 0; i < 23; i++) ring.add(`line ${i}`, i);
    expect([ring.total, numbers(ring, 0)]).toEqual([23, [18, 19, 20, 21, 22]]);
    expect(ring.from(21)[0]).toEqual({ number: 21, time: 21, text: 'line 21' });
  });

  it('gives pages, and nothing after its end', () => {
    const ring = new LogRing(5);
    for (let i = 0; i < 4; i++) ring.add('', 0);
    expect([numbers(ring, 1, 2), numbers(ring, 4), numbers(ring, 9)]).toEqual([[1, 2], [], []]);
  });

  it('cuts a line that nobody would read', () => {
    const ring = new LogRing();
    ring.add('x'.repeat(1_000_000), 0);
    expect(ring.from(0)[0]?.text.length).toBe(10_001);
  });
});

describe('steps per second', () => {
  it('are unknown at first, then a mean over the last seconds', () => {
    const rate = new StepRate();
    expect(rate.perSecond).toBe(-1);
    rate.add(100, 0);
    expect(rate.perSecond).toBe(-1);
    for (const [steps, at] of [
      [110, 1000],
      [120, 2000],
      [220, 3000],
      [320, 4000],
    ] as const)
      rate.add(steps, at);
    expect(rate.perSecond).toBe(70);
  });

  it('begin anew with the counter of another process', () => {
    const rate = new StepRate();
    rate.add(1000, 0);
    rate.add(5, 1000);
    expect(rate.perSecond).toBe(-1);
    rate.add(15, 2000);
    expect(rate.perSecond).toBe(10);
  });
});

describe('a wait', () => {
  const at = (monotonic: number, wall: number) => ({ monotonic, wall: 1e12 + wall });

  it.each([
    ['counts when it took its time', at(1900, 1900), false],
    ['counts on a busy machine', at(3000, 3000), false],
    ['counts when the clock is set back', at(1900, -3_600_000), false],
    ['says nothing when the machine slept and its monotonic clock with it', at(1900, 3_600_000), true],
    ['says nothing when the machine slept and its monotonic clock went on', at(3_600_000, 3_600_000), true],
  ])('%s', (_, to, expected) => {
    expect(wasAway(at(0, 0), to, 1900)).toBe(expected);
  });
});

describe('the setup of a task', () => {
  const setup = {
    ...{ cluster: 'c', clusterTitle: 'Lab', job: 'worker', index: 3, spec: '{"worker":{"3":"127.0.0.1:7"}}' },
    ...{
      engine: 'bundled',
      placement: 'local',
      virtualGpus: 2,
      startId: 's',
      restart: false,
      allow: ['10.0.0.0/8=60'],
      plaintext: ['10.0.0.9:1'],
    },
  };

  const files = { openings: '/a/opening.json' };

  it('becomes a name, an address and a command line', () => {
    expect([taskId(setup), addressOf(setup)]).toEqual(['c/job:worker/task:3', '127.0.0.1:7']);
    expect(flagsOf(setup, files).slice(2)).toEqual([
      ...[
        '--job',
        'worker',
        '--task',
        '3',
        '--engine',
        'bundled',
        '--placement',
        'local',
        '--virtual-devices',
        'GPU=2',
        '--openings',
        '/a/opening.json',
        '--allow=10.0.0.0/8=60',
      ],
    ]);
  });

  it('speaks TLS where its cluster is on several machines, and its engine can', () => {
    const tls = { cert: '/t/cert.pem', key: '/t/key.pem', ca: '/t/ca.pem', crl: '/t/crl.pem' };
    const lan = { ...setup, spec: '{"worker":{"0":"127.0.0.1:6","3":"10.0.0.7:7"}}' };
    expect(flagsOf(lan, { ...files, tls }).slice(-9)).toEqual([
      ...['--tls-cert', tls.cert, '--tls-key', tls.key, '--tls-ca', tls.ca, '--tls-crl', tls.crl, '--plaintext=10.0.0.9:1'],
    ]);
    for (const flags of [
      flagsOf(lan, files),
      flagsOf(setup, { ...files, tls }),
      flagsOf({ ...lan, engine: 'tensorflow' }, { ...files, tls }),
    ]) {
      expect(flags.join(' ')).not.toMatch(/--tls|--plaintext/);
    }
  });

  it('cannot be opened while it runs when its engine is genuine TensorFlow, which is open anyway', () => {
    expect(flagsOf({ ...setup, engine: 'tensorflow' }, files)).not.toContain('--openings');
  });

  it.each([
    ['no JSON', '{', 'no JSON'],
    ['no object', '[]', "no address for task 3 of job 'worker'"],
    ['null', 'null', 'no object of jobs'],
    ['another job', '{"ps":["a:1"]}', 'no address'],
    ['no address', '{"worker":{"3":7}}', 'no address'],
  ])('is refused with %s as its cluster', (_, spec, message) => {
    expect(() => addressOf({ ...setup, spec })).toThrow(message);
  });
});
