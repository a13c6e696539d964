import { X509Certificate } from 'node:crypto';
import { handoversIn, serialOf } from '#proto/trust/authority-certificate.ts';
import { type Published, succeed } from '#proto/trust/succession.ts';
import { certificatesIn } from '#proto/trust/tls-files.ts';
import { failedPrecondition } from '#proto/wire/status.ts';
import type { AuthorityRecord, LabRecord } from './lab-file.ts';
import { DAYS, isOwned, owned } from './lab-record.ts';
import { withRevocations } from './revocations.ts';

/** The record with a new authority, which the one so far hands over to. */
export async function withNextAuthority(record: LabRecord, now: Date): Promise<LabRecord> {
  const { makeAuthority, makeHandover } = await import('./certificates.ts');
  const validity = { now, days: DAYS.authority };
  const present = owned(record);
  const next = await makeAuthority(record.id, validity);
  const handover = await makeHandover(present, next.certificate, validity);
  return withRevocations({ ...record, authorities: [{ ...next, handover }, ...record.authorities] }, now);
}

/** The record with the newest authority only; the revocation list does not say so yet. FAILED_PRECONDITION when there is no other. */
export function withNewestAuthority(record: LabRecord, now: Date): LabRecord {
  owned(record);
  const [newest, ...earlier] = record.authorities;
  if (!newest || earlier.length === 0) throw failedPrecondition('There is no earlier authority to forget: replace the authority first');
  const endedAt = now.toISOString();
  const ended = earlier.map(({ certificate }) => ({ serial: serialOf(new X509Certificate(certificate)), endedAt }));
  return { ...record, authorities: [newest], ended: [...(record.ended ?? []), ...ended] };
}

export function publishedOf({ authorities, revocations }: LabRecord): Published {
  return {
    authority: joined(authorities.map(({ certificate }) => certificate)),
    handovers: joined(authorities.flatMap(({ handover }) => handover ?? [])),
    revocations,
  };
}

/** As somebody has it who issues nothing. */
export function authoritiesOf({ authority, handovers }: Pick<Published, 'authority' | 'handovers'>): readonly AuthorityRecord[] {
  const all = handoversIn(handovers);
  return certificatesIn(authority).map((each) => {
    const handover = all.find(({ publicKey }) => publicKey.equals(each.publicKey));
    return { certificate: each.toString(), ...(handover && { handover: handover.toString() }) };
  });
}

/** What a guest knows after news of his lab, see `succeed`; the same record when he knew it. The owner makes the news himself. */
export function afterNews(record: LabRecord, news: Published): LabRecord {
  if (isOwned(record)) return record;
  const present = publishedOf(record);
  const { revocations, ...authorities } = succeed(present, news);
  const after = { ...record, authorities: authoritiesOf(authorities), revocations };
  return JSON.stringify(publishedOf(after)) === JSON.stringify(present) ? record : after;
}

function joined(certificates: readonly string[]): string {
  return certificates.map((each) => `${each.trim()}\n`).join('');
}
