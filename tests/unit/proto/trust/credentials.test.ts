import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Credentials } from '#proto/trust/credentials.ts';
import { revokedSerials } from '#proto/trust/crl.ts';
import { type Identity, identityUri } from '#proto/trust/identity.ts';
import { Code } from '#proto/wire/status.ts';
import { makeTlsLab, type TlsLab, taskIdentity } from '../../../support/tls-lab.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS);
const warnings: string[] = [];
const warn = (line: string): void => void warnings.push(line);
let lab: TlsLab;
let other: TlsLab;

beforeAll(async () => {
  [lab, other] = await Promise.all([makeTlsLab(ago(200)), makeTlsLab()]);
});
afterEach(() => {
  warnings.length = 0;
});
afterAll(() => Promise.all([lab.dispose(), other.dispose()]));

describe('files that cannot be used are named', () => {
  const failing = [
    [
      'a missing key',
      async () => ({ ...(await lab.issue([taskIdentity('a', 0)])), key: '/nowhere/key.pem' }),
      Code.NOT_FOUND,
      /key .+ is missing.+\/nowhere\/key\.pem/,
    ],
    [
      'a key of another certificate',
      async () => ({ ...(await lab.issue([taskIdentity('a', 0)])), key: lab.user.key }),
      Code.FAILED_PRECONDITION,
      /does not belong to the certificate/,
    ],
    [
      'the authority of another lab',
      async () => ({ ...(await lab.issue([taskIdentity('a', 0)])), ca: other.user.ca }),
      Code.FAILED_PRECONDITION,
      /of two labs/,
    ],
    ['an expired certificate', () => lab.issue([taskIdentity('a', 0)], ago(150)), Code.FAILED_PRECONDITION, /expired on .+clock says/],
    [
      'a certificate of tomorrow',
      () => lab.issue([taskIdentity('a', 0)], ago(-3)),
      Code.FAILED_PRECONDITION,
      /not valid before .+ set the clock/,
    ],
    [
      'a list of another lab',
      async () => ({ ...(await lab.issue([taskIdentity('a', 0)])), crl: other.user.crl }),
      Code.FAILED_PRECONDITION,
      /revocation list .+ not signed by the authority/,
    ],
  ] as const;

  it.each(failing)('%s', async (_, files, code, message) => {
    const given = await files();
    expect(() => new Credentials(given, warn)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  it('something that is no certificate', async () => {
    const files = await lab.issue([taskIdentity('a', 0)]);
    await writeFile(files.cert, 'hello');
    expect(() => new Credentials(files, warn)).toThrow(/holds no certificate that can be read/);
  });
});

it.skipIf(process.platform === 'win32')('a key that others can read is taken back from them', async () => {
  const files = await lab.issue([taskIdentity('a', 0)]);
  await chmod(files.key, 0o640);
  new Credentials(files, warn);
  expect((await stat(files.key)).mode & 0o777).toBe(0o600);
  expect(warnings).toEqual([expect.stringContaining('mode 640')]);
});

describe('a peer', () => {
  const peer = (...identities: Identity[]) => ({
    serialNumber: 'AB',
    subjectaltname: identities.map((each) => `URI:${identityUri(each)}`).join(', '),
  });
  const machine: Identity = { kind: 'machine', name: 'm1' };
  const user: Identity = { kind: 'user', name: 'bo' };
  const ps = taskIdentity('ps', 0);

  it.each([
    ['a user as a client', peer(user), {}, undefined],
    ['a task where it is expected', peer(ps), { isServer: true, task: ps.name }, undefined],
    ['a task of a machine', peer(ps, machine), { isServer: true, task: ps.name }, undefined],
    ['a machine for any task', peer(machine), { isServer: true, task: ps.name }, undefined],
    ['a task that nobody expects in particular', peer(ps), { isServer: true }, undefined],
    [
      'another task',
      peer(taskIdentity('ps', 1), machine),
      { isServer: true, task: ps.name },
      /is for task \S+task:1, machine m1, not for \S+task:0/,
    ],
    ['a user as a server', peer(user), { isServer: true }, /for no task and no machine/],
    ['nobody', { serialNumber: 'AB', subjectaltname: 'DNS:example.org' }, {}, /nobody that Lanflow knows/],
  ] as const)('%s', (_, certificate, expectation, refusal) => {
    const text = new Credentials(lab.user, warn).refusal(certificate, expectation);
    if (refusal === undefined) expect(text).toBeUndefined();
    else expect(text).toMatch(refusal);
  });

  it('is refused once it is revoked, and the files are read again', async () => {
    const credentials = new Credentials(lab.user, warn);
    await lab.issue([ps]);
    const serialNumber = ((await lab.lab.issued()).at(-1)?.serial ?? '').toUpperCase();
    const certificate = { ...peer(ps), serialNumber };
    expect(credentials.refresh()).toBe(false);
    await lab.lab.revoke(serialNumber);
    expect(credentials.refusal(certificate)).toBeUndefined();
    expect(credentials.refresh()).toBe(true);
    expect(credentials.refusal(certificate)).toMatch(/has been revoked/);
  });

  it('is not dialled by somebody who was revoked, and hears why', async () => {
    const bo = new Credentials(await lab.issue([{ kind: 'user', name: 'bo' }]), warn);
    await lab.lab.revoke((await lab.lab.issued()).at(-1)?.serial ?? '');
    bo.refresh();
    expect(bo.refusal(peer(ps), { isServer: true })).toBe(
      'your own certificate (user bo) has been revoked; the owner of the lab can give you another one',
    );
    // Others may come to him all the same.
    expect(bo.refusal(peer(user))).toBeUndefined();
  });
});

it('files that change to something unusable are left alone, with one word', async () => {
  const files = await lab.issue([taskIdentity('a', 0)]);
  const credentials = new Credentials(files, warn);
  const before = credentials.context;
  await writeFile(files.cert, await readFile(lab.user.cert));
  expect(credentials.refresh()).toBe(false);
  expect(credentials.refresh()).toBe(false);
  expect(credentials.context).toBe(before);
  expect(warnings).toEqual([expect.stringMatching(/does not belong.*what was there before stays in use/)]);
});

it.each(['', 'MAA=', 'MIIBATCB', 'MYQAAAAA', 'MIQAAAAFMAMCAQE='])('a list of "%s" is refused', (base64) => {
  const pem = `-----BEGIN X509 CRL-----\n${base64}\n-----END X509 CRL-----\n`;
  expect(() => revokedSerials(pem, [])).toThrow(/no certificate revocation list|not signed/);
});
