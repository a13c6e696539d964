import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRequest } from '#proto/trust/certificate-request.ts';
import { Lab } from '../../../../../main/store/lab/lab.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let folder: string;
let guests: string;
let days = 0;
let lab: Lab;
let bo: Lab;
const env = (where: string) => ({
  ...{ folder: where, userName: 'somebody', warn: () => undefined },
  now: () => new Date(Date.now() + days * DAY_MS),
});

beforeEach(async () => {
  days = 0;
  folder = await mkdtemp(join(tmpdir(), 'lanflow-lab-'));
  guests = await mkdtemp(join(tmpdir(), 'lanflow-lab-'));
  lab = await Lab.open(env(folder));
  const { key, request } = await makeRequest('bo');
  const given = await lab.sign(request, [{ kind: 'user', name: 'bo' }]);
  bo = await Lab.join(env(guests), { ...given, key, id: (await lab.facts()).id });
});
afterEach(() => Promise.all([folder, guests].map((each) => rm(each, { recursive: true }))));

const own = async () => new X509Certificate(await readFile(bo.files.cert));
const serialOf = (pem: string): string => new X509Certificate(pem).serialNumber.toLowerCase();
/** What bo asks for, which he must do by now. */
const asked = async () => {
  const renewal = await bo.renewal();
  if (!renewal) throw new Error('bo asks for nothing');
  return renewal;
};
const counting = async (): Promise<number> => (await lab.issued()).filter(({ revokedAt }) => revokedAt === undefined).length;

describe('the certificate of a guest', () => {
  it('is renewed in its last month, for the same user and another key', async () => {
    expect(await bo.renewal()).toBeUndefined();
    days = 340;
    const before = await own();
    const renewal = await asked();
    expect(await bo.renewal()).toEqual({ ...renewal, signature: expect.anything() });
    expect((await bo.facts()).problem).toContain('ends on');
    await bo.renewed(await lab.answerRenewal(renewal));
    const after = await own();
    expect(after.subjectAltName).toBe(before.subjectAltName);
    expect(after.publicKey.equals(before.publicKey)).toBe(false);
    expect(new Date(after.validTo).getTime() - Date.now()).toBeGreaterThan((340 + 360) * DAY_MS);
    expect(after.keyUsage).toEqual(before.keyUsage);
    expect([await bo.renewal(), (await bo.facts()).problem]).toEqual([undefined, '']);
  });

  it('is renewed when the authority is replaced, so that the earlier one can be forgotten', async () => {
    await lab.replaceAuthority();
    await bo.learn(await lab.published());
    await bo.renewed(await lab.answerRenewal(await asked()));
    expect((await lab.forgetOldAuthorities()).map(({ names }) => names)).toEqual([]);
    await bo.learn(await lab.published());
    await bo.checkStanding();
  });

  it('is renewed once, however often he asks', async () => {
    days = 340;
    const renewal = await asked();
    const before = await counting();
    const answer = await lab.answerRenewal(renewal);
    expect(await lab.answerRenewal(renewal)).toBe(answer);
    expect(await counting()).toBe(before + 1);
  });

  it('is not renewed for a second key', async () => {
    days = 340;
    const copy = await mkdtemp(join(tmpdir(), 'lanflow-lab-'));
    const user = { certificate: String(await own()), key: await readFile(bo.files.key, 'utf8') };
    const twin = await Lab.join(env(copy), { ...(await lab.published()), ...user, id: (await lab.facts()).id });
    await lab.answerRenewal(await asked());
    const second = await twin.renewal();
    await expect(second && lab.answerRenewal(second)).rejects.toMatchObject({ codeName: 'ALREADY_EXISTS' });
    await rm(copy, { recursive: true });
  });

  it('is not renewed while it is good for long, when it was revoked, and when it has ended', async () => {
    days = 340;
    const renewal = await asked();
    days = 0;
    await expect(lab.answerRenewal(renewal)).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
    days = 366;
    await expect(lab.answerRenewal(renewal)).rejects.toMatchObject({ codeName: 'PERMISSION_DENIED' });
    days = 340;
    await lab.revoke((await own()).serialNumber);
    await expect(lab.answerRenewal(renewal)).rejects.toMatchObject({ codeName: 'PERMISSION_DENIED' });
    await bo.learn(await lab.published());
    expect(await bo.renewal()).toBeUndefined();
  });

  it.each(['earlier', 'later'])('is revoked with all that it was renewed by, by the %s one', async (which) => {
    days = 340;
    const earlier = (await own()).serialNumber.toLowerCase();
    await bo.renewed(await lab.answerRenewal(await asked()));
    days = 680;
    await lab.issue([{ kind: 'user', name: 'eve' }]);
    const middle = (await own()).serialNumber.toLowerCase();
    const last = await lab.answerRenewal(await asked());
    const revoked = async () => (await lab.issued()).filter(({ revokedAt }) => revokedAt !== undefined).map(({ serial }) => serial);
    await lab.revoke(which === 'earlier' ? middle : serialOf(last));
    expect(await revoked()).toEqual(expect.arrayContaining([middle, serialOf(last)]));
    expect(await revoked()).toHaveLength((await lab.issued()).some(({ serial }) => serial === earlier) ? 3 : 2);
  });

  it('is renewed by nobody but the owner, who has none to be renewed like this', async () => {
    days = 340;
    const renewal = await asked();
    await expect(bo.answerRenewal(renewal)).rejects.toMatchObject({ codeName: 'PERMISSION_DENIED' });
    expect(await lab.renewal()).toBeUndefined();
  });

  it('is not replaced by what is not its renewal', async () => {
    days = 340;
    const { request } = await asked();
    const before = await readFile(bo.files.cert, 'utf8');
    const wrong = [
      await lab.sign((await makeRequest('bo')).request, [{ kind: 'user', name: 'bo' }]),
      await lab.sign(request, [{ kind: 'user', name: 'eve' }]),
      await (await Lab.open(env(join(guests, 'other')))).sign(request, [{ kind: 'user', name: 'bo' }]),
    ];
    for (const { certificate } of wrong) await expect(bo.renewed(certificate)).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
    expect(await readFile(bo.files.cert, 'utf8')).toBe(before);
  });
});
