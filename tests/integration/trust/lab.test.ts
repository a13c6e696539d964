import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { taskStats } from '../../../main/client/index.ts';
import { runCli } from '../../support/cli.ts';
import { startTask } from '../../support/task-process.ts';

let dataFolder: string;
let out: string;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'lanflow-lab-cli-'));
  out = join(dataFolder, 'out');
});
afterAll(() => rm(dataFolder, { recursive: true }));

it('issues what a task can be started with, lists it, and revokes it', async () => {
  const issued = await runCli(['lab', 'issue', '--task', 'ps:0', '--out', out], { dataFolder });
  expect(issued).toMatchObject({ code: 0, stderr: '' });
  const flags = issued.stdout.trim().split(' ');
  if (process.platform !== 'win32') expect((await stat(join(out, 'key.pem'))).mode & 0o777).toBe(0o600);
  const task = await startTask({ cluster: { ps: { 0: '127.0.0.1:0' } }, job: 'ps', task: 0, engine: 'bundled', flags });
  await taskStats(task.target);
  expect(await task.stop()).toBe(0);
  const status = await runCli(['lab', '--json'], { dataFolder });
  const { isOwner, issued: all } = JSON.parse(status.stdout);
  expect({ isOwner, names: all.map(({ names }: { names: string[] }) => names) }).toEqual({
    isOwner: true,
    names: [[expect.stringMatching(/^lanflow:user:/)], ['lanflow:task:%2Fjob%3Aps%2Freplica%3A0%2Ftask%3A0']],
  });
  const revoked = await runCli(['lab', 'revoke', all[1].fingerprint], { dataFolder });
  expect(revoked.stdout).toContain('revoked lanflow:task:/job:ps/replica:0/task:0');
  expect((await runCli(['lab'], { dataFolder })).stdout).toMatch(/task:\/job:ps\/replica:0\/task:0 +\d{4}-\d\d-\d\d +revoked \d{4}-/);
});

it('says what is wrong', async () => {
  expect(await runCli(['lab', 'issue', '--out', out], { dataFolder })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--task or --machine'),
  });
  expect(await runCli(['lab', 'issue', '--task', 'ps', '--out', out], { dataFolder })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("--task: 'ps' is not of the form worker:0"),
  });
  expect(await runCli(['lab', 'revoke', '12'], { dataFolder })).toMatchObject({ code: 1, stderr: expect.stringContaining('NOT_FOUND') });
});

it('a task says which file it cannot use, and ends', async () => {
  const flags = ['--tls-cert', join(out, 'none.pem'), '--tls-key', join(out, 'key.pem'), '--tls-ca', join(out, 'ca.pem')];
  await expect(startTask({ cluster: { ps: { 0: '127.0.0.1:0' } }, job: 'ps', task: 0, engine: 'bundled', flags })).rejects.toThrow(
    /lanflow task: NOT_FOUND: The certificate is missing: there is no file .+none\.pem/,
  );
});

it('a task does not take the certificate of another one', async () => {
  const flags = ['--tls-cert', join(out, 'cert.pem'), '--tls-key', join(out, 'key.pem'), '--tls-ca', join(out, 'ca.pem')];
  await expect(startTask({ cluster: { worker: { 0: '127.0.0.1:0' } }, job: 'worker', task: 0, engine: 'bundled', flags })).rejects.toThrow(
    /INVALID_ARGUMENT: The certificate .+ is for task \/job:ps\/replica:0\/task:0, and cannot be used by \/job:worker/,
  );
});
