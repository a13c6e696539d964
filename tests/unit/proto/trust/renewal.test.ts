import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRequest } from '#proto/trust/certificate-request.ts';
import type { Identity } from '#proto/trust/identity.ts';
import { checkRenewal, type Renewal, signRenewal } from '#proto/trust/renewal.ts';
import { makeTlsLab, type TlsLab } from '../../../support/tls-lab.ts';

describe('a request to renew a certificate', () => {
  let lab: TlsLab;
  let other: TlsLab;
  let authority: string;
  let renewal: Renewal;

  beforeAll(async () => {
    [lab, other] = await Promise.all([makeTlsLab(), makeTlsLab()]);
    ({ authority } = await lab.lab.published());
    renewal = await renewalBy(lab, { kind: 'user', name: 'bo' });
  });
  afterAll(() => Promise.all([lab.dispose(), other.dispose()]));

  async function renewalBy(from: TlsLab, ...identities: readonly Identity[]): Promise<Renewal> {
    const files = await from.issue(identities);
    const [certificate, key] = await Promise.all([readFile(files.cert, 'utf8'), readFile(files.key, 'utf8')]);
    return signRenewal({ certificate, key, request: (await makeRequest('bo')).request });
  }

  it('is of the user whose certificate it shows', () => {
    expect(checkRenewal(renewal, authority).subjectAltName).toContain('lanflow:user:bo');
  });

  it.each<[string, () => Promise<Renewal> | Renewal, RegExp]>([
    [
      'is for another key than was signed',
      async () => ({ ...renewal, request: (await makeRequest('bo')).request }),
      /not signed with the key/,
    ],
    ['shows the certificate of somebody else', async () => ({ ...renewal, ...certificateOf(await eve()) }), /not signed with the key/],
    ['is signed with nothing', () => ({ ...renewal, signature: new Uint8Array() }), /not signed with the key/],
    ['is of another lab', () => renewalBy(other, { kind: 'user', name: 'bo' }), /not issued by the lab's authority/],
    ['is of a machine', () => renewalBy(lab, { kind: 'machine', name: '0123456789abcdef' }), /Only certificates of users/],
    ['is of two users', () => renewalBy(lab, { kind: 'user', name: 'bo' }, { kind: 'user', name: 'eve' }), /Only certificates of users/],
    ['shows no certificate', () => ({ ...renewal, certificate: 'bo' }), /certificate to be renewed cannot be read/],
    ['is too long', () => ({ ...renewal, request: renewal.request.repeat(100) }), /is too long/],
  ])('is none when it %s', async (_, make, message) => {
    const made = await make();
    expect(() => checkRenewal(made, authority)).toThrow(
      expect.objectContaining({ codeName: 'INVALID_ARGUMENT', message: expect.stringMatching(message) }),
    );
  });

  const eve = () => renewalBy(lab, { kind: 'user', name: 'eve' });
});

function certificateOf({ certificate }: Renewal): Pick<Renewal, 'certificate'> {
  return { certificate };
}
