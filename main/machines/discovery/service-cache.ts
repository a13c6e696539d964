import type { DnsMessage, DnsQuestion, DnsRecord, ServiceTarget } from '#proto/discovery/dns.ts';
import { isLinkLocal, isUnicast } from '#proto/discovery/ip-address.ts';

/** One service of one machine, as far as it has been told. */
export interface ServiceInstance {
  /** Its whole name. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly text: unknown;
  readonly addresses: readonly string[];
  /** When it was last heard of. */
  readonly seenAt: number;
}

interface Held {
  readonly record: DnsRecord;
  readonly link: string;
  readonly at: number;
  readonly expires: number;
}

/** What a machine that floods the LAN with names can take of memory. */
const MAX_RECORDS = 5000;
const MAX_TTL = 4500;
/** Records of one message and of the messages just before belong together. */
const TOGETHER_MS = 1000;
/** A record that expires is asked for at 80, 85, 90 and 95 % of its time, as RFC 6762 has it. */
const FADING = 0.8;
const PAUSE_SHARE = 0.05;
const MIN_PAUSE_MS = 900;
const MISSING_PAUSE_MS = 4000;
const FORGET_ASKED_MS = 600_000;
const KINDS = ['PTR', 'SRV', 'TXT', 'A', 'AAAA'];

/**
 * Records of multicast DNS until they expire. Messages may be split, repeated, or wrong in every way; what cannot be read is
 * left out. Times are given, in milliseconds.
 */
export class ServiceCache {
  /** By type and name, then by what tells several apart. */
  readonly #held = new Map<string, Map<string, Held>>();
  readonly #askedAt = new Map<string, number>();
  #size = 0;

  /** `link` is the name of the interface over which the message came. */
  learn(message: DnsMessage, link: string, now: number): void {
    for (const record of [...listOf(message.answers), ...listOf(message.additionals)]) {
      if (!isReadable(record)) continue;
      if (record.flush) this.#remove(record, (held) => isVoid(held, record, link, now));
      if (record.ttl === 0) this.#remove(record, (held, key) => key === valueKey(record, link) && isSameText(held, record));
      else this.#hold({ record, link, at: now, expires: now + 1000 * Math.min(MAX_TTL, record.ttl ?? 0) });
    }
  }

  /** Interfaces that are gone take with them what was told there of addresses. */
  forgetLink(link: string): void {
    for (const { record } of this.#groups()) if (isAddress(record)) this.#remove(record, (held) => held.link === link);
  }

  expire(now: number): void {
    for (const [name, at] of this.#askedAt) if (now - at > FORGET_ASKED_MS) this.#askedAt.delete(name);
    for (const { record } of this.#groups()) this.#remove(record, ({ expires }) => expires <= now);
  }

  /** All services of a type of which name, port and address are known. */
  instances(type: string): readonly ServiceInstance[] {
    return this.#names(type).flatMap((name): ServiceInstance[] => {
      const service = this.#of(name, 'SRV')[0];
      const text = this.#of(name, 'TXT')[0];
      if (!service || !text) return [];
      const { target, port } = targetOf(service);
      const addresses = [...new Set(this.#addressesOf(target).map(addressOf))];
      const seenAt = Math.max(service.at, text.at);
      return addresses.length > 0 ? [{ name, host: target, port, text: text.record.data, addresses, seenAt }] : [];
    });
  }

  /** What is to be asked now: what is missing of services that are known by name, and whatever expires soon. */
  questions(type: string, now: number): readonly DnsQuestion[] {
    return this.#names(type).flatMap((name): DnsQuestion[] => {
      const service = this.#of(name, 'SRV')[0];
      if (!service || isFading(service, now) || isFading(this.#of(name, 'TXT')[0], now)) return this.#ask(name, ['ANY'], service, now);
      const { target } = targetOf(service);
      const addresses = this.#addressesOf(target);
      return addresses.some((each) => !isFading(each, now)) ? [] : this.#ask(target, ['A', 'AAAA'], addresses[0], now);
    });
  }

  /** Again and again, but not all the time. */
  #ask(name: string, types: readonly string[], held: Held | undefined, now: number): DnsQuestion[] {
    const pause = held ? Math.max(MIN_PAUSE_MS, PAUSE_SHARE * (held.expires - held.at)) : MISSING_PAUSE_MS;
    const key = name.toLowerCase();
    if (now - (this.#askedAt.get(key) ?? Number.NEGATIVE_INFINITY) < pause) return [];
    this.#askedAt.set(key, now);
    return types.map((type) => ({ name, type }));
  }

  /** Known answers for a query, so that only those whom we do not know answer. */
  known(type: string, now: number): readonly DnsRecord[] {
    return this.#of(type, 'PTR')
      .map(({ record: { name, data }, expires }) => ({ name, type: 'PTR', data, ttl: Math.floor((expires - now) / 1000) }))
      .filter(({ ttl, data }) => ttl > 0 && this.#of(String(data), 'SRV').length > 0 && this.#of(String(data), 'TXT').length > 0);
  }

  /** Of a host name such as `pc1.local`. */
  addressesOf(host: string): readonly string[] {
    return [...new Set(this.#addressesOf(host).map(addressOf))];
  }

  #names(type: string): readonly string[] {
    const pointed = this.#of(type, 'PTR').map(({ record }) => String(record.data));
    const prefix = 'SRV ';
    const suffix = `.${type.toLowerCase()}`;
    const told = [...this.#held]
      .filter(([key]) => key.startsWith(prefix) && key.endsWith(suffix))
      .flatMap(([, group]) => [...group.values()].map(({ record }) => record.name));
    return [...new Map([...pointed, ...told].map((name) => [name.toLowerCase(), name])).values()];
  }

  #of(name: string, type: string): readonly Held[] {
    return [...(this.#held.get(groupKey(name, type))?.values() ?? [])];
  }

  #addressesOf(host: string): readonly Held[] {
    return [...this.#of(host, 'A'), ...this.#of(host, 'AAAA')];
  }

  /** One of each type and name. */
  #groups(): readonly Held[] {
    return [...this.#held.values()].flatMap((group) => [...group.values()].slice(0, 1));
  }

  #hold(held: Held): void {
    const key = groupKey(held.record.name, held.record.type);
    const group = this.#held.get(key) ?? new Map<string, Held>();
    const value = valueKey(held.record, held.link);
    if (!group.has(value)) {
      if (this.#size >= MAX_RECORDS) return;
      this.#size++;
    }
    this.#held.set(key, group.set(value, held));
  }

  #remove({ name, type }: DnsRecord, isGone: (held: Held, value: string) => boolean): void {
    const key = groupKey(name, type);
    const group = this.#held.get(key);
    for (const [value, held] of [...(group ?? [])]) if (isGone(held, value) && group?.delete(value)) this.#size--;
    if (group?.size === 0) this.#held.delete(key);
  }
}

const listOf = (records: readonly DnsRecord[] | undefined): readonly DnsRecord[] => (Array.isArray(records) ? records : []);
const isAddress = ({ type }: DnsRecord): boolean => type === 'A' || type === 'AAAA';
const groupKey = (name: string, type: string): string => `${type} ${name.toLowerCase()}`;
const isFading = (held: Held | undefined, now: number): boolean => !held || now > held.at + FADING * (held.expires - held.at);
// Checked when it was learned.
const targetOf = ({ record }: Held): ServiceTarget => record.data as ServiceTarget;

/** Of a service there is one target and one text; of the others as many as there are values. */
function valueKey(record: DnsRecord, link: string): string {
  if (record.type === 'PTR') return String(record.data).toLowerCase();
  return isAddress(record) ? `${String(record.data)} ${link}` : '';
}

/** Addresses are told on each link for itself. */
function isVoid(held: Held, by: DnsRecord, link: string, now: number): boolean {
  return held.at < now - TOGETHER_MS && (!isAddress(by) || held.link === link);
}

/** An agent that was started again has another text than the one that says goodbye late. */
function isSameText(held: Held, record: DnsRecord): boolean {
  const flat = ({ data }: DnsRecord): string => (Array.isArray(data) ? data : [data]).map(String).join('\n');
  return record.type !== 'TXT' || flat(held.record) === flat(record);
}

function isReadable(record: DnsRecord): boolean {
  if (typeof record !== 'object' || record === null || typeof record.name !== 'string' || !KINDS.includes(record.type)) return false;
  const { type, data, ttl } = record;
  if (typeof ttl !== 'number' || !(ttl >= 0)) return false;
  if (type === 'PTR') return typeof data === 'string' && data !== '';
  if (type === 'SRV') return isTarget(data);
  if (type === 'TXT') return true;
  return typeof data === 'string' && isUnicast(data);
}

function isTarget(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || !('target' in data) || !('port' in data)) return false;
  return typeof data.target === 'string' && Number.isInteger(data.port) && Number(data.port) > 0 && Number(data.port) < 65_536;
}

/** A link-local IPv6 address means something only together with the interface on which it was told. */
function addressOf({ record, link }: Held): string {
  const address = String(record.data);
  return address.includes(':') && isLinkLocal(address) ? `${address}%${link}` : address;
}
