import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRequest } from '#proto/trust/certificate-request.ts';
import { type Identity, identityUri, readIdentities } from '#proto/trust/identity.ts';
import { readTlsFiles } from '#proto/trust/tls-files.ts';
import { Code } from '#proto/wire/status.ts';
import { Lab } from '../../../../../main/store/lab/lab.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const task: Identity = { kind: 'task', name: '/job:ps/replica:0/task:0' };
const machine: Identity = { kind: 'machine', name: '0123456789abcdef' };
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

let folder: string;
let other: string;
let strange: string;
const warnings: string[] = [];
const env = (changes: Partial<Parameters<typeof Lab.open>[0]> = {}) => ({
  folder,
  userName: "Zoë O'Neill (physics)",
  warn: (line: string) => warnings.push(line),
  ...changes,
});
const later = (days: number) => ({ now: () => new Date(Date.now() + days * DAY_MS) });
const file = (name: string): string => join(folder, 'lab', name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lanflow-lab-'));
  other = await mkdtemp(join(tmpdir(), 'lanflow-lab-'));
  strange = await mkdtemp(join(tmpdir(), 'lanflow-lab-'));
  warnings.length = 0;
});
afterEach(() => Promise.all([folder, other, strange].map((each) => rm(each, { recursive: true }))));

describe('the lab', () => {
  it('is made at first use, stays the same, and is readable by this user only', async () => {
    const lab = await Lab.open(env());
    const facts = await lab.facts();
    expect(facts).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{16}$/), isOwner: true, user: "Zoë O'Neill (physics)" });
    expect(await (await Lab.open(env())).facts()).toEqual(facts);
    expect((await readdir(file(''))).sort()).toEqual(['ca.pem', 'crl.pem', 'lab.json', 'user-key.pem', 'user.pem']);
    if (process.platform !== 'win32') {
      expect((await stat(file(''))).mode & 0o777).toBe(0o700);
      for (const name of await readdir(file(''))) expect((await stat(file(name))).mode & 0o777).toBe(0o600);
    }
    const { certificate } = readTlsFiles(lab.files, { now: new Date(), warn: (line) => warnings.push(line) });
    expect(readIdentities(certificate.subjectAltName)).toEqual([{ kind: 'user', name: "Zoë O'Neill (physics)" }]);
    expect(warnings).toEqual([]);
  });

  it('is one lab when several processes make it at once', async () => {
    const labs = await Promise.all(Array.from({ length: 4 }, () => Lab.open(env())));
    const ids = await Promise.all(labs.map(async (lab) => (await lab.facts()).fingerprint));
    expect(new Set(ids).size).toBe(1);
    await Promise.all(labs.map((lab) => lab.issue([task])));
    expect(await labs[0]?.issued()).toHaveLength(5);
  });

  it('issues certificates that are valid since yesterday, for what they say', async () => {
    const lab = await Lab.open(env());
    const issued = await lab.issue([task, machine]);
    const certificate = new X509Certificate(issued.certificate);
    expect(readIdentities(certificate.subjectAltName)).toEqual([task, machine]);
    expect(Date.now() - new Date(certificate.validFrom).getTime()).toBeGreaterThan(DAY_MS - 5000);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1']);
    expect(certificate.ca).toBe(false);
    await expect(lab.issue([])).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT });
    const user = new X509Certificate(await readFile(file('user.pem')));
    expect(user.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  });

  it('signs requests, whose key stays where it was made, and nothing else', async () => {
    const lab = await Lab.open(env());
    const { key, request } = await makeRequest('a machine');
    const signed = await lab.sign(request, [machine]);
    const [cert, keyFile, ca] = ['c.pem', 'k.pem', 'a.pem'].map((name) => join(other, name)) as [string, string, string];
    await writeFile(cert, signed.certificate);
    await writeFile(keyFile, key, { mode: 0o600 });
    await writeFile(ca, signed.authority);
    const files = { cert, key: keyFile, ca };
    expect(readTlsFiles(files, { now: new Date(), warn: () => undefined }).certificate.subjectAltName).toContain('machine');
    await expect(lab.sign('hello', [machine])).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT });
    const lines = request.split('\n');
    const forged = [...lines.slice(0, -3), (lines.at(-3) ?? '').replace(/^..../, 'AAAA'), ...lines.slice(-2)].join('\n');
    await expect(lab.sign(forged, [machine])).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT });
  });

  it('revokes by serial number and fingerprint, for all who read the list', async () => {
    const lab = await Lab.open(env());
    await lab.issue([task]);
    await lab.issue([machine]);
    const [, first, second] = await lab.issued();
    if (!first || !second) throw new Error('nothing was issued');
    await lab.revoke(first.serial.toUpperCase());
    await lab.revoke(second.fingerprint);
    const { revoked } = readTlsFiles(lab.files, { now: new Date(), warn: () => undefined });
    expect([...revoked].sort()).toEqual([first.serial, second.serial].sort());
    await expect(lab.revoke('abc')).rejects.toMatchObject({ code: Code.NOT_FOUND });
  });

  it('replaces its authority; what was issued and revoked before still is', async () => {
    const lab = await Lab.open(env());
    const before = await lab.facts();
    await lab.issue([task]);
    const [, early] = await lab.issued();
    await lab.replaceAuthority();
    await lab.revoke(early?.serial ?? '');
    const { ca, revoked, certificate } = readTlsFiles(lab.files, { now: new Date(), warn: () => undefined });
    expect(ca.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(revoked).toContain(early?.serial);
    expect((await lab.facts()).fingerprint).not.toBe(before.fingerprint);
    // Machines that have not heard of the new authority go on to let him in.
    expect(certificate.verify(new X509Certificate(ca).publicKey)).toBe(false);
  });

  it('forgets an earlier authority, and what that has issued', async () => {
    const lab = await Lab.open(env());
    await expect(lab.forgetOldAuthorities()).rejects.toMatchObject({ code: Code.FAILED_PRECONDITION });
    await lab.issue([machine]);
    const [user, old] = await lab.issued();
    const earlier = new X509Certificate((await lab.published()).authority);
    await lab.replaceAuthority();
    await lab.issue([task]);
    expect((await lab.current()).map(({ names }) => names)).toEqual([[identityUri(task)]]);
    expect(await lab.forgetOldAuthorities()).toEqual([old]);
    const { ca, revoked, certificate } = readTlsFiles(lab.files, { now: new Date(), warn: () => undefined });
    expect(ca.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
    expect(revoked).toEqual(new Set([user?.serial, old?.serial, earlier.serialNumber.toLowerCase()]));
    expect(certificate.verify(new X509Certificate(ca).publicKey)).toBe(true);
    expect((await lab.current()).map(({ names }) => names)).toEqual([[identityUri(task)], user?.names]);
  });

  it('has several users, who issue nothing, and no second lab', async () => {
    const lab = await Lab.open(env());
    const { key, request } = await makeRequest('bo');
    const given = { ...(await lab.sign(request, [{ kind: 'user', name: 'bo' }])), key, id: (await lab.facts()).id };
    const bo = await Lab.join(env({ folder: other, userName: 'bo' }), given);
    expect(await bo.facts()).toMatchObject({ isOwner: false, user: 'bo', id: given.id, fingerprint: (await lab.facts()).fingerprint });
    await expect(bo.issue([task])).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
    await expect(bo.replaceAuthority()).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
    await expect(Lab.join(env(), given)).rejects.toMatchObject({ code: Code.ALREADY_EXISTS });
    await expect(Lab.join(env({ folder: other }), { ...given, id: '0123456789abcdef' })).rejects.toMatchObject({
      code: Code.ALREADY_EXISTS,
    });
    await Lab.open(env({ folder: other }));
  });

  it('reminds users who cannot renew their certificate, and takes the new one that they are given', async () => {
    const give = async (days: number) => {
      const lab = await Lab.open(env(later(days)));
      const { key, request } = await makeRequest('bo');
      return { ...(await lab.sign(request, [{ kind: 'user', name: 'bo' }])), key, id: (await lab.facts()).id };
    };
    const guest = (days: number) => env({ folder: other, userName: 'bo', ...later(days) });
    await Lab.join(guest(0), await give(0));
    await Lab.open(guest(330));
    expect(warnings).toEqual([]);
    await Lab.open(guest(340));
    expect(warnings).toEqual([
      expect.stringMatching(/^Your certificate of lab [0-9a-f]{16} ends on \d{4}-\d\d-\d\d, .*lanflow lab invite/),
    ]);
    const fresh = await give(340);
    const bo = await Lab.join(guest(340), fresh);
    expect(await readFile(bo.files.cert, 'utf8')).toBe(fresh.certificate);
    await Lab.open(guest(340));
    expect(warnings).toHaveLength(1);
  });

  it('is known to a guest as its authorities have it, whoever tells him', async () => {
    const lab = await Lab.open(env());
    const bo = await joinAsBo(lab);
    const serial = (await lab.issued()).at(-1)?.serial ?? '';
    const before = await lab.published();
    await lab.issue([machine]);
    await lab.revoke((await lab.issued()).at(-1)?.serial ?? '');
    await lab.replaceAuthority();
    const after = await lab.published();
    expect(await bo.learn(after)).toBe(true);
    expect(await readFile(bo.files.ca, 'utf8')).toBe(after.authority);
    expect(await bo.facts()).toMatchObject({ fingerprint: (await lab.facts()).fingerprint, problem: '' });
    for (const older of [after, before]) expect(await bo.learn(older)).toBe(false);
    const stranger = await Lab.open(env({ folder: strange }));
    await expect(bo.learn(await stranger.published())).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
    expect(await lab.learn(before)).toBe(false);
    await bo.checkStanding();
    await lab.revoke(serial);
    await bo.learn(await lab.published());
    const revoked = { code: Code.PERMISSION_DENIED, message: expect.stringMatching(/^Your certificate of lab \w+ has been revoked; /) };
    await expect(bo.checkStanding()).rejects.toMatchObject(revoked);
    expect((await bo.facts()).problem).toMatch(/has been revoked; .*lanflow lab invite/);
    await lab.forgetOldAuthorities();
    await bo.learn(await lab.published());
    expect((await bo.facts()).problem).toMatch(/^The authority of your certificate of lab \w+ has been replaced: .*lanflow lab invite/);
  });

  it('renews the certificate of its owner when he has revoked it', async () => {
    const lab = await Lab.open(env());
    await lab.revoke((await lab.issued())[0]?.serial ?? '');
    await expect(lab.checkStanding()).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
    await (await Lab.open(env())).checkStanding();
    expect(warnings).toEqual([]);
  });

  it('renews the user before the certificate ends', async () => {
    await Lab.open(env());
    const before = await readFile(file('user.pem'), 'utf8');
    await Lab.open(env(later(300)));
    expect(await readFile(file('user.pem'), 'utf8')).toBe(before);
    await Lab.open(env(later(350)));
    expect(await readFile(file('user.pem'), 'utf8')).not.toBe(before);
  });

  it.skipIf(process.platform === 'win32')('takes its file back from other users, with a word', async () => {
    const lab = await Lab.open(env());
    await chmod(file('lab.json'), 0o644);
    await lab.facts();
    expect(warnings).toEqual([expect.stringMatching(/lab\.json could be read by other users.*mode 644.*now 600/)]);
    expect((await stat(file('lab.json'))).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['half a file', (json: string) => json.slice(0, 300)],
    ['no key', (json: string) => json.replace(/"key": "[^"]+"/, '"key": ""')],
    ['a key of another certificate', (json: string) => swapKeys(json)],
  ])('with %s says so, and is never replaced', async (_, change) => {
    await Lab.open(env());
    const spoilt = change(await readFile(file('lab.json'), 'utf8'));
    await writeFile(file('lab.json'), spoilt);
    await expect(Lab.open(env())).rejects.toMatchObject({
      code: Code.FAILED_PRECONDITION,
      message: expect.stringMatching(/lab\.json cannot be used \(.+\): restore it from a backup, or move it away/),
    });
    expect(await readFile(file('lab.json'), 'utf8')).toBe(spoilt);
  });

  it.each([
    [-2, /is not valid before .+ clock says .+: set the clock/],
    [4000, /expired on .+ clock says .+: set the clock if it is wrong/],
  ])('with a clock %d days off names the clock', async (days, message) => {
    await Lab.open(env());
    await expect(Lab.open(env(later(days)))).rejects.toMatchObject({
      code: Code.FAILED_PRECONDITION,
      message: expect.stringMatching(message),
    });
  });

  it('mends PEM files that were lost', async () => {
    await Lab.open(env());
    const before = await readFile(file('user-key.pem'), 'utf8');
    await rm(file('user-key.pem'));
    await Lab.open(env());
    expect(await readFile(file('user-key.pem'), 'utf8')).toBe(before);
  });

  it.skipIf(!hasOpenssl)('satisfies OpenSSL', async () => {
    const lab = await Lab.open(env());
    const cert = join(other, 'task.pem');
    await writeFile(cert, (await lab.issue([task])).certificate);
    const verify = (...more: string[]) =>
      spawnSync('openssl', ['verify', '-x509_strict', '-CAfile', file('ca.pem'), '-CRLfile', file('crl.pem'), '-crl_check', ...more], {
        encoding: 'utf8',
      });
    expect(verify('-purpose', 'sslserver', cert).stdout).toContain('OK');
    expect(verify('-purpose', 'sslclient', cert).stdout).toContain('OK');
    expect(verify('-purpose', 'sslclient', file('user.pem')).stdout).toContain('OK');
    expect(verify('-purpose', 'sslserver', file('user.pem')).stderr).toContain('purpose');
    const serial = execFileSync('openssl', ['x509', '-in', cert, '-noout', '-serial'], { encoding: 'utf8' }).trim().replace('serial=', '');
    await lab.revoke(serial);
    expect(verify(cert).stderr).toContain('certificate revoked');
    const stranger = await Lab.open(env({ folder: other }));
    expect(verify(stranger.files.cert).status).not.toBe(0);
  });
});

/** Bo becomes a user of it. */
async function joinAsBo(lab: Lab): Promise<Lab> {
  const { key, request } = await makeRequest('bo');
  const given = await lab.sign(request, [{ kind: 'user', name: 'bo' }]);
  return Lab.join(env({ folder: other, userName: 'bo' }), { ...given, key, id: (await lab.facts()).id });
}

function swapKeys(json: string): string {
  const file = JSON.parse(json);
  file.content.user.key = file.content.authorities[0].key;
  return JSON.stringify(file);
}
