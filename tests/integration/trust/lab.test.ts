import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeRequest } from '#proto/trust/certificate-request.ts';
import { taskStats } from '../../../main/client/index.ts';
import { LabAuthority } from '../../../main/store/lab/lab-authority.ts';
import { userFiles } from '../../../main/store/lab/lab-storage.ts';
import { runCli } from '../../support/cli.ts';
import { machineOf, startLanAgent } from '../../support/lan-agent.ts';
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

it('tells the machines of a revocation, and who does not know of it', async () => {
  const authority = new LabAuthority({ folder: dataFolder, userName: 'zoe', machineId: async () => '', warn: () => undefined });
  const agent = await startLanAgent();
  try {
    await agent.join({ lab: authority });
    const bo = await makeRequest('bo');
    const { certificate } = await authority.admitUser('bo', bo.request);
    const files = { cert: join(dataFolder, 'bo.pem'), key: join(dataFolder, 'bo-key.pem'), ca: join(dataFolder, 'lab', 'ca.pem') };
    await writeFile(files.cert, certificate);
    await writeFile(files.key, bo.key, { mode: 0o600 });
    await machineOf(agent.as(files));
    const records = [
      { id: agent.machine, name: 'one', addresses: ['127.0.0.1'], port: agent.port },
      { id: '0123456789abcdef', name: 'two', addresses: ['127.0.0.1'], port: 1 },
    ];
    await writeFile(join(dataFolder, 'machines.json'), JSON.stringify({ version: 1, content: records }));
    const { stdout } = await runCli(['lab', 'revoke', new X509Certificate(certificate).fingerprint256], { dataFolder });
    expect(stdout).toMatch(/^revoked lanflow:user:bo; .+\n.+ knows of it\ntwo does not know of it yet, .+ does not answer/);
    await expect(machineOf(agent.as(files))).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
  } finally {
    await agent.close();
  }
});

it('replaces the authority and forgets the old one, and says whom that leaves out', async () => {
  const authority = new LabAuthority({ folder: dataFolder, userName: 'zoe', machineId: async () => '', warn: () => undefined });
  const agent = await startLanAgent();
  try {
    await agent.join({ lab: authority });
    await authority.admitUser('eve', (await makeRequest('eve')).request);
    const records = [{ id: agent.machine, name: 'one', addresses: ['127.0.0.1'], port: agent.port }];
    await writeFile(join(dataFolder, 'machines.json'), JSON.stringify({ version: 1, content: records }));
    expect((await runCli(['lab', 'replace-authority'], { dataFolder })).stdout).toMatch(/^authority .+\n.+ knows of it\n$/);
    const { stdout } = await runCli(['lab', 'replace-authority', '--forget-old'], { dataFolder });
    expect(stdout).toContain('lanflow:user:eve must be paired, invited or set up anew');
    expect(stdout).not.toContain(agent.machine);
    expect(await machineOf(agent.as(userFiles(dataFolder)))).toMatchObject({ id: agent.machine });
  } finally {
    await agent.close();
  }
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
