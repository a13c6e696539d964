import type { IssuedRecord, LabRecord } from './lab-file.ts';
import { owned } from './lab-record.ts';

/** The record after these certificates were revoked. */
export async function withRevoked(record: LabRecord, isIt: (each: IssuedRecord) => boolean, now: Date): Promise<LabRecord> {
  const revokedAt = now.toISOString();
  const issued = record.issued.map((each) => (isIt(each) && each.revokedAt === undefined ? { ...each, revokedAt } : each));
  return withRevocations({ ...record, issued }, now);
}

/** The list is signed by every authority: each speaks for the certificates that it has issued. */
export async function withRevocations(record: LabRecord, now: Date): Promise<LabRecord> {
  const { makeRevocationList } = await import('./certificates.ts');
  owned(record);
  const issued = record.issued.flatMap(({ serial, revokedAt }) => (revokedAt === undefined ? [] : [{ serial, at: new Date(revokedAt) }]));
  const ended = (record.ended ?? []).map(({ serial, endedAt }) => ({ serial, at: new Date(endedAt) }));
  const revoked = [...issued, ...ended];
  const lists = record.authorities.flatMap(({ certificate, key }) =>
    key === undefined ? [] : [makeRevocationList({ certificate, key }, revoked, now)],
  );
  return { ...record, revocations: (await Promise.all(lists)).join('') };
}
