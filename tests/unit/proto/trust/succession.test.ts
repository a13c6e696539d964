import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keysOf } from '#proto/trust/authority-certificate.ts';
import { revokedSerials } from '#proto/trust/crl.ts';
import { type Published, succeed } from '#proto/trust/succession.ts';
import { certificatesIn } from '#proto/trust/tls-files.ts';
import { type KeyAndCertificate, makeAuthority, makeHandover, makeRevocationList } from '../../../../main/store/lab/certificates.ts';
import { makeTlsLab, type TlsLab } from '../../../support/tls-lab.ts';

const validity = { now: new Date(), days: 10 };
const fingerprints = (pem: string): readonly string[] => certificatesIn(pem).map(({ fingerprint256 }) => fingerprint256);
const revoked = ({ authority, revocations }: Published): ReadonlySet<string> =>
  revokedSerials(revocations, keysOf(certificatesIn(authority)));
const serialOf = (pem: string): string => new X509Certificate(pem).serialNumber;

describe('the authorities of a lab', () => {
  let lab: TlsLab;
  /** As published with one authority, with a second one before and after the first was forgotten. */
  let first: Published;
  let both: Published;
  let second: Published;

  beforeEach(async () => {
    lab = await makeTlsLab();
    first = await lab.lab.published();
    await lab.lab.replaceAuthority();
    both = await lab.lab.published();
    await lab.lab.forgetOldAuthorities();
    second = await lab.lab.published();
  });
  afterEach(() => lab.dispose());

  it('follow each other as each hands over to the next, and end when the next one says so', () => {
    expect(fingerprints(both.authority)).toEqual([...fingerprints(second.authority), ...fingerprints(first.authority)]);
    for (const [present, news] of [
      [first, both],
      [both, second],
      [first, second],
    ] as const) {
      const after = succeed(present, news);
      expect([after.authority, after.handovers, revoked(after)]).toEqual([news.authority, news.handovers, revoked(news)]);
    }
  });

  it('follow each other over several at once, in whatever order they are told', async () => {
    await lab.lab.replaceAuthority();
    const third = await lab.lab.published();
    const reversed = { ...third, authority: certificatesIn(third.authority).map(String).reverse().join('\n') };
    expect(fingerprints(succeed(second, reversed).authority)).toEqual(fingerprints(third.authority));
    expect(fingerprints(succeed(both, reversed).authority)).toEqual(fingerprints(third.authority));
  });

  it.each<[string, () => [Published, Published]]>([
    ['before a new one', () => [both, first]],
    ['before the old one was forgotten', () => [second, both]],
    ['that knew only a forgotten one', () => [second, { ...first, revocations: '' }]],
    ['without what has been revoked since', () => [second, { ...second, revocations: '' }]],
    ['that it knows', () => [second, second]],
  ])('stay what they are upon news of the time %s', (_, state) => {
    const [present, news] = state();
    expect(succeed(present, news)).toEqual(present);
  });

  describe('are not joined by one', () => {
    let other: TlsLab;
    let mine: KeyAndCertificate;
    let id: string;

    beforeEach(async () => {
      other = await makeTlsLab();
      ({ id } = await lab.lab.facts());
      mine = await makeAuthority(id, validity);
    });
    afterEach(() => other.dispose());

    /** The user's own authority beside that of the lab. */
    const news = (handovers: string): Published => ({ authority: mine.certificate + first.authority, handovers, revocations: '' });
    const refused = expect.objectContaining({ codeName: 'PERMISSION_DENIED', message: expect.stringContaining('is not vouched for') });
    const outcome = (present: Published, given: Published): unknown => {
      try {
        return succeed(present, given);
      } catch (error) {
        return error;
      }
    };
    /** Keys of authorities that a test makes itself. */
    const publish = (...authorities: readonly KeyAndCertificate[]): Published => ({
      authority: authorities.map(({ certificate }) => certificate).join(''),
      handovers: '',
      revocations: '',
    });

    it('that nobody vouches for', () => {
      expect(outcome(first, news(''))).toEqual(refused);
      expect(outcome(first, news(both.handovers))).toEqual(refused);
    });

    it('that vouches for itself, or is vouched for by a stranger of the same name', async () => {
      expect(outcome(first, news(await makeHandover(mine, mine.certificate, validity)))).toEqual(refused);
      const stranger = await makeAuthority(id, validity);
      expect(outcome(first, news(await makeHandover(stranger, mine.certificate, validity)))).toEqual(refused);
    });

    it('that has the handover of another one', async () => {
      const [ours, theirs] = [await makeAuthority(id, validity), await makeAuthority(id, validity)];
      const given = { ...publish(mine, ours), handovers: await makeHandover(ours, theirs.certificate, validity) };
      expect(outcome(publish(ours), given)).toEqual(refused);
    });

    it('that an earlier one has handed over to, once a newer one is known', async () => {
      const [earlier, newer] = [await makeAuthority(id, validity), await makeAuthority(id, validity)];
      const given = { ...publish(mine), handovers: await makeHandover(earlier, mine.certificate, validity) };
      expect(fingerprints(succeed(publish(earlier), given).authority)[0]).toBe(fingerprints(mine.certificate)[0]);
      expect(outcome(publish(newer, earlier), given)).toEqual(refused);
      expect(outcome(publish(newer), given)).toEqual(refused);
    });

    it('of another lab, also when it was handed over to', async () => {
      expect(outcome(first, await other.lab.published())).toEqual(refused);
      const ours = await makeAuthority(id, validity);
      const foreign = await makeAuthority('0123456789abcdef', validity);
      const given = { ...publish(foreign), handovers: await makeHandover(ours, foreign.certificate, validity) };
      expect(outcome(publish(ours), given)).toEqual(refused);
    });

    it('that is no authority', async () => {
      const ours = await makeAuthority(id, validity);
      const { certificate } = await lab.lab.issue([{ kind: 'user', name: 'bo' }]);
      const given = { authority: certificate, handovers: await makeHandover(ours, certificate, validity), revocations: '' };
      expect(outcome(publish(ours), given)).toEqual(refused);
    });

    it('because an earlier one has ended the newest', async () => {
      const [earlier, newer] = [await makeAuthority(id, validity), await makeAuthority(id, validity)];
      const list = (by: KeyAndCertificate, which: KeyAndCertificate) =>
        makeRevocationList(by, [{ serial: serialOf(which.certificate), at: new Date() }], new Date());
      const present = publish(newer, earlier);
      const tries = { ...present, revocations: await list(earlier, newer) };
      expect(fingerprints(succeed(present, tries).authority)).toEqual(fingerprints(present.authority));
      const says = { ...present, revocations: await list(newer, earlier) };
      expect(fingerprints(succeed(present, says).authority)).toEqual(fingerprints(newer.certificate));
    });

    it('because what is told is damaged', async () => {
      const invalid = (what: string) =>
        expect.objectContaining({ codeName: 'INVALID_ARGUMENT', message: expect.stringMatching(`^The ${what} cannot be read: `) });
      expect(outcome(first, { ...both, authority: both.authority.repeat(9) })).toEqual(invalid("certificate of the lab's authority"));
      expect(outcome(first, { ...both, authority: 'nothing' })).toEqual(invalid("certificate of the lab's authority"));
      expect(outcome(first, { ...both, handovers: cut(both.handovers) })).toEqual(invalid("handover of the lab's authority"));
      expect(outcome(first, { ...both, handovers: '' })).toEqual(refused);
      expect(outcome(first, { ...both, handovers: flipped(both.handovers) })).toEqual(refused);
      expect(outcome(first, { ...both, revocations: cut(both.revocations) })).toEqual(invalid('revocation list'));
      const { revocations } = await other.lab.published();
      expect(outcome(first, { ...both, revocations })).toEqual(invalid('revocation list'));
    });
  });
});

/** Without its first line of base64. */
function cut(pem: string): string {
  return pem.split('\n').toSpliced(1, 1).join('\n');
}

/** Its signature is another one. */
function flipped(pem: string): string {
  const der = Buffer.from(new X509Certificate(pem).raw);
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
}
