import { type Announcement, encodeAnnouncement } from '#proto/discovery/announcement.ts';
import {
  type DnsMessage,
  type DnsQuestion,
  type DnsRecord,
  instanceOf,
  LANFLOW_SERVICE,
  SERVICE_TYPES,
  sameName,
} from '#proto/discovery/dns.ts';

export interface AdvertisedAgent extends Announcement {
  /** Of the agent's control service on the LAN. */
  readonly port: number;
}

export interface RecordOptions {
  readonly agent: AdvertisedAgent;
  readonly addresses: readonly string[];
  /** Seconds that others may go by the records without hearing of them again; 0 takes them back. */
  readonly ttl: number;
}

/** Not the machine's own name in DNS: that one belongs to the system's mDNS service where there is one. */
const hostOf = (machine: string): string => `lanflow-${machine}.local`;

/** All that is announced. The names are made of the machine's id, so two machines never want the same one. */
export function recordsOf({ agent, addresses, ttl }: RecordOptions): readonly DnsRecord[] {
  const name = instanceOf(agent.machine);
  const target = hostOf(agent.machine);
  return [
    { name: LANFLOW_SERVICE, type: 'PTR', ttl, data: name },
    { name, type: 'SRV', ttl, flush: true, data: { priority: 0, weight: 0, port: agent.port, target } },
    { name, type: 'TXT', ttl, flush: true, data: encodeAnnouncement(agent) },
    ...addresses.map((data) => ({ name: target, type: data.includes(':') ? 'AAAA' : 'A', ttl, flush: true, data })),
  ];
}

/** The answer to a query: everything at once, so that nobody needs to ask twice. Undefined when it is about others, or known there. */
export function answerTo(query: DnsMessage, records: readonly DnsRecord[]): DnsMessage | undefined {
  const asked = (query.questions ?? []).filter(({ name, type }) => typeof name === 'string' && typeof type === 'string');
  if (asked.some((question) => isAboutTypes(question))) return { type: 'response', answers: [...typeRecord(records), ...records] };
  const wanted = records.filter((record) => asked.some((question) => asksFor(question, record)) && !isKnown(record, query.answers));
  return wanted.length > 0 ? { type: 'response', answers: records } : undefined;
}

/** For one who asks from another port than multicast DNS has: a plain DNS client, which wants its question back and forgets soon. */
export function legacyAnswer(query: DnsMessage, answer: DnsMessage): DnsMessage {
  const answers = (answer.answers ?? []).map(({ flush: _, ...record }) => ({ ...record, ttl: Math.min(record.ttl ?? 0, LEGACY_TTL) }));
  return { ...answer, id: query.id ?? 0, questions: query.questions ?? [], answers };
}

const LEGACY_TTL = 10;

function asksFor({ name, type }: DnsQuestion, record: DnsRecord): boolean {
  return sameName(name, record.name) && (type === record.type || type === 'ANY');
}

function isAboutTypes({ name, type }: DnsQuestion): boolean {
  return sameName(name, SERVICE_TYPES) && (type === 'PTR' || type === 'ANY');
}

function typeRecord(records: readonly DnsRecord[]): DnsRecord[] {
  return records.slice(0, 1).map(({ ttl = 0 }) => ({ name: SERVICE_TYPES, type: 'PTR', ttl, data: LANFLOW_SERVICE }));
}

/** Only the shared record can be: the others are never in a query. */
function isKnown(record: DnsRecord, known: readonly DnsRecord[] = []): boolean {
  return known.some(
    ({ name, type, ttl, data }) =>
      type === record.type &&
      sameName(name, record.name) &&
      typeof data === 'string' &&
      typeof record.data === 'string' &&
      sameName(data, record.data) &&
      (ttl ?? 0) >= (record.ttl ?? 0) / 2,
  );
}
