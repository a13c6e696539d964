import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import type { GivenTrust } from '../../../../../task-server/agent/trust/check-trust.ts';
import { MachineTrust } from '../../../../../task-server/agent/trust/machine-trust.ts';
import { makeTlsLab, type TlsLab } from '../../../../support/tls-lab.ts';

const MACHINE = '0123456789abcdef';
const DAY_MS = 24 * 60 * 60 * 1000;

let data: string;
let lab: TlsLab;
let other: TlsLab;
let trust: MachineTrust;
const warnings: string[] = [];

const open = (): Promise<MachineTrust> => MachineTrust.open({ dataFolder: data, machine: MACHINE, warn: (line) => warnings.push(line) });
const file = (name: string): string => join(data, 'agent', 'trust', name);

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'lanflow-trust-'));
  [lab, other] = await Promise.all([makeTlsLab(), makeTlsLab()]);
  warnings.length = 0;
  trust = await open();
});
afterEach(() => Promise.all([rm(data, { recursive: true }), lab.dispose(), other.dispose()]));

/** What a lab gives to this machine, or to another one, upon its request. */
async function given({ lab: from }: TlsLab, request: string, name = MACHINE): Promise<GivenTrust> {
  return { lab: (await from.facts()).id, ...(await from.sign(request, [{ kind: 'machine', name }])) };
}

const pairWith = async (with_: TlsLab): Promise<void> =>
  trust.accept(await given(with_, (await trust.requestCertificate()).request), 'owner');

it('begins without a lab, and leaves no files', async () => {
  expect([trust.lab, trust.fingerprint, trust.credentials, trust.files]).toEqual(['', '', undefined, undefined]);
  expect(await readdir(data)).toEqual([]);
});

it('belongs to the lab that has signed its request, from then on', async () => {
  let changes = 0;
  trust.listen(() => changes++);
  const { machine, request } = await trust.requestCertificate();
  expect((await trust.requestCertificate()).request).toBe(request);
  const mine = await given(lab, request);
  await trust.accept(mine, 'owner');
  expect([machine, trust.lab, changes]).toEqual([MACHINE, mine.lab, 1]);
  expect(trust.fingerprint).toBe(new X509Certificate(mine.certificate).fingerprint256.replaceAll(':', '').toLowerCase());
  expect(trust.credentials?.own).toEqual([{ kind: 'machine', name: MACHINE }]);
  expect((await readdir(file(''))).sort()).toEqual(['ca.pem', 'cert.pem', 'crl.pem', 'key.pem']);
  expect((await stat(file(''))).mode & 0o777).toBe(0o700);
  for (const name of await readdir(file(''))) expect((await stat(file(name))).mode & 0o777).toBe(0o600);
  const again = await open();
  expect([again.lab, again.fingerprint, again.credentials?.own]).toEqual([trust.lab, trust.fingerprint, trust.credentials?.own]);
  expect(warnings).toEqual([]);
});

it.each<[string, (mine: GivenTrust, foreign: GivenTrust) => Partial<GivenTrust>, RegExp]>([
  ['another lab is named', (_, { lab: id }) => ({ lab: id }), /The authority is of O=Lanflow, CN=Lanflow lab \w+, not of lab/],
  ['the authority is of another lab', (_, { lab: id, authority }) => ({ lab: id, authority }), /not issued by the lab's authority/],
  ['the authority is none', ({ certificate }) => ({ authority: certificate }), /The authority is of .*CN=0123456789abcdef, not of lab/],
  ['the certificate is garbage', () => ({ certificate: 'garbage' }), /certificate of this machine cannot be read/],
  ['the authority is garbage', () => ({ authority: 'garbage' }), /authority cannot be read: there is none in it/],
  ['the list is of another lab', (_, { revocations }) => ({ revocations }), /revocation list cannot be read: it is not signed/],
])('refuses when %s', async (_, wrong, message) => {
  const { request } = await trust.requestCertificate();
  const [mine, foreign] = await Promise.all([given(lab, request), given(other, request)]);
  await expect(trust.accept({ ...mine, ...wrong(mine, foreign) }, 'owner')).rejects.toMatchObject({
    code: Code.INVALID_ARGUMENT,
    message: expect.stringMatching(message),
  });
  expect(trust.lab).toBe('');
  await trust.accept(mine, 'owner');
});

it('refuses a certificate for another machine, and one for a key that it does not have', async () => {
  const { request } = await trust.requestCertificate();
  await expect(trust.accept(await given(lab, request, 'fedcba9876543210'), 'owner')).rejects.toThrow(
    /is for machine fedcba9876543210, and this is machine 0123456789abcdef/,
  );
  const issued = { lab: (await lab.lab.facts()).id, ...(await lab.lab.issue([{ kind: 'machine', name: MACHINE }])) };
  await expect(trust.accept(issued, 'owner')).rejects.toThrow(/does not belong to the key of this machine/);
});

it('has none when its certificate is for another machine, until it is paired anew', async () => {
  await pairWith(lab);
  const copy = await MachineTrust.open({ dataFolder: data, machine: 'fedcba9876543210', warn: (line) => warnings.push(line) });
  expect([copy.lab, copy.fingerprint, copy.credentials, copy.files]).toEqual(['', '', undefined, undefined]);
  expect(warnings).toEqual([
    expect.stringMatching(/cert\.pem is for machine 0123456789abcdef, and this is machine fedcba9876543210: pair this machine anew/),
  ]);
  await copy.accept(await given(lab, (await copy.requestCertificate()).request, 'fedcba9876543210'), 'owner');
  expect(copy.credentials?.own).toEqual([{ kind: 'machine', name: 'fedcba9876543210' }]);
});

it('names the clock when certificates are of another time', async () => {
  const { request } = await trust.requestCertificate();
  const mine = await given(lab, request);
  const late = await MachineTrust.open({
    dataFolder: data,
    machine: MACHINE,
    warn: () => undefined,
    now: () => new Date(Date.now() - 3 * DAY_MS),
  });
  await expect(late.accept(mine, 'owner')).rejects.toMatchObject({
    code: Code.FAILED_PRECONDITION,
    message: expect.stringMatching(/is not valid before .*this machine's clock says .*: set the clock/),
  });
});

it('goes over to another lab by its owner, not by a lab', async () => {
  await pairWith(lab);
  const foreign = await given(other, (await trust.requestCertificate()).request);
  await expect(trust.accept(foreign, 'lab')).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
  await trust.accept(foreign, 'owner');
  expect(trust.lab).toBe(foreign.lab);
  expect(trust.credentials?.own).toEqual([{ kind: 'machine', name: MACHINE }]);
});

it('takes a new authority, and a new certificate, of its own lab', async () => {
  await pairWith(lab);
  const before = trust.fingerprint;
  const context = trust.credentials?.context;
  await lab.lab.replaceAuthority();
  await trust.accept({ lab: trust.lab, certificate: '', ...(await lab.lab.published()) }, 'lab');
  expect(trust.fingerprint).toBe(before);
  await trust.accept(await given(lab, (await trust.requestCertificate()).request), 'lab');
  expect(trust.fingerprint).not.toBe(before);
  expect(trust.credentials?.context).not.toBe(context);
});

it('takes no authority of a user besides that of its lab, unless its owner says so', async () => {
  await pairWith(lab);
  const [ours, his] = [await lab.lab.published(), await other.lab.published()];
  const before = await readFile(file('ca.pem'), 'utf8');
  const both = { lab: trust.lab, certificate: '', ...ours, authority: ours.authority + his.authority };
  await expect(trust.accept(both, 'lab')).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
  const named = { lab: trust.lab, certificate: '', ...ours, authority: his.authority };
  await expect(trust.accept(named, 'lab')).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
  expect(await readFile(file('ca.pem'), 'utf8')).toBe(before);
  const foreign = await given(other, (await trust.requestCertificate()).request);
  await expect(trust.accept({ ...foreign, lab: trust.lab }, 'lab')).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
  await trust.accept(foreign, 'owner');
  expect(await trust.published()).toEqual({ lab: foreign.lab, ...his });
});

it('forgets an authority when the next one says so, and does not come to believe in it again', async () => {
  await pairWith(lab);
  const first = await lab.lab.published();
  await lab.lab.replaceAuthority();
  const both = await lab.lab.published();
  const news = (published: typeof both) => trust.accept({ lab: trust.lab, certificate: '', ...published }, 'lab');
  await news(both);
  await lab.lab.forgetOldAuthorities();
  const second = await lab.lab.published();
  // Its certificate is still of the one that would be forgotten.
  await expect(news(second)).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT });
  await trust.accept(await given(lab, (await trust.requestCertificate()).request), 'lab');
  expect(await trust.published()).toEqual({ lab: trust.lab, ...second });
  for (const older of [both, { ...first, revocations: '' }]) await news(older);
  expect(await trust.published()).toEqual({ lab: trust.lab, ...second });
});

it('takes a revocation list alone, and no older one in its place', async () => {
  await expect(trust.accept({ lab: '', certificate: '', authority: '', handovers: '', revocations: '' }, 'owner')).rejects.toMatchObject({
    code: Code.FAILED_PRECONDITION,
  });
  await pairWith(lab);
  const { revocations: older } = await lab.lab.published();
  await lab.issue([{ kind: 'user', name: 'bo' }]);
  const bo = (await lab.lab.issued()).at(-1);
  await lab.lab.revoke(bo?.serial ?? '');
  const { revocations } = await lab.lab.published();
  const isBoRefused = (): boolean =>
    /revoked/.test(trust.credentials?.refusal({ serialNumber: bo?.serial ?? '', subjectaltname: 'URI:lanflow:user:bo' }) ?? '');
  expect(isBoRefused()).toBe(false);
  for (const list of [revocations, older, '']) {
    await trust.accept({ lab: trust.lab, certificate: '', authority: '', handovers: '', revocations: list }, 'lab');
    expect(isBoRefused()).toBe(true);
  }
  await pairWith(other);
  expect(await readFile(file('crl.pem'), 'utf8')).toBe((await other.lab.published()).revocations);
});

it('finishes what a crash has interrupted', async () => {
  await pairWith(lab);
  const [cert, key] = await Promise.all([readFile(file('cert.pem'), 'utf8'), readFile(file('key.pem'), 'utf8')]);
  const { request } = await trust.requestCertificate();
  const pending = await readFile(file('pending-key.pem'), 'utf8');
  await trust.accept(await given(lab, request), 'lab');
  // Between the certificate and its key.
  await writeFile(file('key.pem'), key);
  await writeFile(file('pending-key.pem'), pending, { mode: 0o600 });
  expect((await open()).credentials).toBeDefined();
  expect(await readFile(file('key.pem'), 'utf8')).toBe(pending);
  // Before the certificate: the earlier one goes on to count.
  await writeFile(file('cert.pem'), cert);
  await writeFile(file('key.pem'), key);
  expect((await open()).credentials).toBeDefined();
});

it.each([
  ['key.pem', /key\.pem holds no private key that can be read.*nobody of the lab can reach this machine/],
  ['cert.pem', /nobody of the lab can reach this machine/],
  ['ca.pem', /nobody of the lab can reach this machine/],
])('starts with a damaged %s, says so, and takes what is new', async (name, warning) => {
  await pairWith(lab);
  await writeFile(file(name), 'damaged');
  const broken = await open();
  expect(broken.credentials).toBeUndefined();
  expect(warnings.join()).toMatch(warning);
  await broken.accept(await given(lab, (await broken.requestCertificate()).request), 'owner');
  expect(broken.credentials).toBeDefined();
});

it('starts without what cannot be used, says so, and takes what is new', async () => {
  await pairWith(lab);
  await rename(file('key.pem'), file('lost'));
  const broken = await open();
  expect([broken.lab, broken.credentials]).toEqual([trust.lab, undefined]);
  expect(warnings.join()).toMatch(/key of the certificate is missing.*nobody of the lab can reach this machine/);
  await broken.accept(await given(lab, (await broken.requestCertificate()).request), 'owner');
  expect(broken.credentials).toBeDefined();
});
