import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeRequest } from '#proto/trust/certificate-request.ts';
import { type Renewal, signRenewal } from '#proto/trust/renewal.ts';
import { Renewals } from '../../../../../task-server/agent/trust/renewals.ts';
import { makeTlsLab, type TlsLab } from '../../../../support/tls-lab.ts';

let lab: TlsLab;
let renewals: Renewals;

beforeEach(async () => {
  lab = await makeTlsLab();
  renewals = new Renewals(() => lab.lab.published());
});
afterEach(() => lab.dispose());

interface User {
  readonly certificate: string;
  readonly key: string;
}

async function user(name: string): Promise<User> {
  const files = await lab.issue([{ kind: 'user', name }]);
  return { certificate: await readFile(files.cert, 'utf8'), key: await readFile(files.key, 'utf8') };
}
const ask = async (by: User): Promise<Renewal> => signRenewal({ ...by, request: (await makeRequest('any')).request });
const issue = async (name: string, { request }: Renewal) => (await lab.lab.sign(request, [{ kind: 'user', name }])).certificate;

it('keeps what users ask for until the owner answers, and the answer for who asks again', async () => {
  const [bo, eve] = [await ask(await user('bo')), await ask(await user('eve'))];
  expect([await renewals.leave(bo), await renewals.leave(eve)]).toEqual(['', '']);
  expect(renewals.open).toEqual([bo, eve]);
  const certificate = await issue('bo', bo);
  await renewals.answer(certificate);
  expect(renewals.open).toEqual([eve]);
  expect([await renewals.leave(bo), await renewals.leave(eve)]).toEqual([certificate, '']);
});

it('takes the last thing that a user asks for, and one only', async () => {
  const bo = await user('bo');
  await renewals.leave(await ask(bo));
  const last = await ask(bo);
  await renewals.leave(last);
  expect(renewals.open).toEqual([last]);
});

it('takes nothing of somebody else in the name of a user', async () => {
  const [bo, eve] = [await user('bo'), await user('eve')];
  const left = await ask(bo);
  await renewals.leave(left);
  const forged = { ...(await ask(eve)), certificate: bo.certificate };
  await expect(renewals.leave(forged)).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
  expect(renewals.open).toEqual([left]);
});

it('takes nothing of who was revoked, and no request that is none', async () => {
  const bo = await user('bo');
  const notSigned = signRenewal({ ...bo, request: 'hello' });
  await expect(renewals.leave(notSigned)).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
  await lab.lab.revoke(new X509Certificate(bo.certificate).serialNumber);
  await expect(renewals.leave(await ask(bo))).rejects.toMatchObject({ codeName: 'PERMISSION_DENIED' });
  expect(renewals.open).toEqual([]);
});

it('takes no answer but a certificate of the lab for the key that was asked for', async () => {
  const other = await makeTlsLab();
  const bo = await user('bo');
  const left = await ask(bo);
  await renewals.leave(left);
  const foreign = (await other.lab.sign(left.request, [{ kind: 'user', name: 'bo' }])).certificate;
  await expect(renewals.answer(foreign)).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
  await expect(renewals.answer('hello')).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
  await expect(renewals.answer(await issue('eve', left))).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
  await expect(renewals.answer(bo.certificate)).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
  expect(renewals.open).toEqual([left]);
  await other.dispose();
});

it('keeps so many, and of more the newest', async () => {
  const few = new Renewals(() => lab.lab.published(), 2);
  const asked = [await ask(await user('bo')), await ask(await user('eve')), await ask(await user('bo'))];
  for (const each of asked) await few.leave(each);
  expect(few.open).toEqual(asked.slice(1));
});
