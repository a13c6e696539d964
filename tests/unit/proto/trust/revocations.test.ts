import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { joinRevocations } from '#proto/trust/revocations.ts';
import { type KeyAndCertificate, makeAuthority, makeRevocationList } from '../../../../main/store/lab/certificates.ts';

describe('revocation lists', () => {
  const [one, two, three] = ['0a', '0b', '0c'] as const;
  let authority: KeyAndCertificate;
  let other: KeyAndCertificate;

  beforeAll(async () => {
    [authority, other] = (await Promise.all(
      ['0'.repeat(16), 'f'.repeat(16)].map((id) => makeAuthority(id, { now: new Date(), days: 10 })),
    )) as [KeyAndCertificate, KeyAndCertificate];
  });

  const list = (serials: readonly string[], by = authority) =>
    makeRevocationList(
      by,
      serials.map((serial) => ({ serial, at: new Date() })),
      new Date(),
    );
  const join = (given: string, present: string, by = [authority]) =>
    joinRevocations(
      given,
      present,
      by.map(({ certificate }) => new X509Certificate(certificate).publicKey),
    );

  it('stay when what is given says nothing new, and give way to one that says all that they do', async () => {
    const [empty, short, long] = [await list([]), await list([one]), await list([one, two])];
    expect([join('', ''), join(empty, ''), join('', short)]).toEqual(['', empty, short]);
    for (const given of [empty, short, long, await list([two])]) expect(join(given, long)).toBe(long);
    expect(join(long, short)).toBe(long);
  });

  it('stay beside each other as far as each says something that the others do not', async () => {
    const [left, right] = [await list([one, two]), await list([two, three])];
    expect(join(left, right)).toBe(left + right);
    expect(join(left.repeat(50), right + (await list([three])))).toBe(left + right);
  });

  it('stay of each authority by itself, and of no other', async () => {
    const [ours, theirs] = [await list([one]), await list([one], other)];
    expect(join(theirs + ours, '', [authority, other])).toBe(ours + theirs);
    expect(join(ours, theirs)).toBe(ours);
    expect(() => join(theirs, ours)).toThrow(/not signed by the authority/);
  });
});
