import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { parseFlags, UsageError } from '../../../task-server/flags.ts';

const cluster = '{"ps": ["a:1"], "worker": {"3": "b:2"}}';
const required = ['--cluster', cluster, '--job', 'worker', '--task', '3'];

it('reads a command line', () => {
  const options = parseFlags([...required, '--virtual-devices', 'GPU=2', '--allow', '10.0.0.0/8', '--allow', 'fd00::/8'], {});
  expect(options).toMatchObject({
    job: 'worker',
    task: 3,
    engine: 'bundled',
    placement: 'first-task',
    virtualGpus: 2,
    allow: ['10.0.0.0/8', 'fd00::/8'],
  });
  expect(options.cluster.job.map(({ name, tasks }) => ({ name, tasks }))).toEqual([
    { name: 'ps', tasks: { 0: 'a:1' } },
    { name: 'worker', tasks: { 3: 'b:2' } },
  ]);
});

it('reads the cluster from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanflow-flags-'));
  try {
    const file = join(folder, 'cluster.json');
    writeFileSync(file, cluster);
    expect(parseFlags(['--cluster', `@${file}`, '--job', 'ps', '--task', '0'], {}).cluster.job).toHaveLength(2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('takes from TF_CONFIG what the flags leave open', () => {
  const TF_CONFIG = `{"cluster": ${cluster}, "task": {"type": "ps", "index": 0}}`;
  expect(parseFlags([], { TF_CONFIG })).toMatchObject({ job: 'ps', task: 0 });
  expect(parseFlags(['--job', 'worker', '--task', '3'], { TF_CONFIG })).toMatchObject({ job: 'worker', task: 3 });
});

describe('a wrong command line', () => {
  it.each([
    [[], '--cluster is missing'],
    [['--cluster', cluster], '--job is missing'],
    [['--cluster', cluster, '--job', 'ps'], '--task is missing'],
    [[...required, '--engine', 'steam'], '--engine: "steam" is none of bundled, tensorflow'],
    [[...required, '--placement', 'best'], '--placement'],
    [[...required, '--virtual-devices', 'TPU=2'], '--virtual-devices'],
    [[...required, '--colour', 'red'], '--colour'],
    [['--cluster', '{', '--job', 'ps', '--task', '0'], '--cluster is no JSON'],
    [['--cluster', '@/no/such/file', '--job', 'ps', '--task', '0'], '/no/such/file'],
    [['--cluster', cluster, '--job', 'ps', '--task', 'first'], '--task: "first" is no whole number'],
  ])('%j is a usage error', (args, text) => {
    expect(() => parseFlags(args, {})).toThrow(UsageError);
    expect(() => parseFlags(args, {})).toThrow(text);
  });
});

it.each(['[]', '"x"', '{"1ps": ["a:1"]}', '{"ps": "a:1"}', '{"ps": [7]}', '{"ps": {"one": "a:1"}}'])('%s is no cluster', (json) => {
  expect(() => parseFlags(['--cluster', json, '--job', 'ps', '--task', '0'], {})).toThrow(
    expect.objectContaining({ code: Code.INVALID_ARGUMENT }),
  );
});

it('takes the files of TLS all or not at all', () => {
  const files = ['--tls-cert', 'c', '--tls-key', 'k', '--tls-ca', 'a'];
  expect(parseFlags([...required, ...files, '--plaintext', 'far:1', '--plaintext', 'near'], {})).toMatchObject({
    tls: { cert: 'c', key: 'k', ca: 'a' },
    plaintext: ['far:1', 'near'],
  });
  expect(parseFlags(required, {}).tls).toBeUndefined();
  expect(() => parseFlags([...required, '--tls-cert', 'c'], {})).toThrow(/^--tls-key and --tls-ca must be given too/);
  expect(() => parseFlags([...required, ...files, '--engine', 'tensorflow'], {})).toThrow(UsageError);
});
