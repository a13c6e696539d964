import { networkInterfaces } from 'node:os';
import openMulticast from 'multicast-dns';
import { decodeAnnouncement } from '#proto/discovery/announcement.ts';
import { type DnsMessage, instanceOf, MDNS_PORT, sameName } from '#proto/discovery/dns.ts';
import { ownAddresses } from '#proto/discovery/interfaces.ts';
import type { Link } from '#proto/discovery/link.ts';
import { type MulticastEnv, MulticastLinks, type MulticastProblem, type PacketSource } from '#proto/discovery/multicast-links.ts';
import { type AdvertisedAgent, answerTo, legacyAnswer, recordsOf } from './records.ts';
import { Replies } from './replies.ts';

export interface AdvertiserOptions {
  /** One line for the agent's log. */
  readonly log: (line: string) => void;
  /** Where the machine's id and its trust are kept. */
  readonly dataFolder: string;
  /** Seconds that others may go by what they heard. */
  readonly ttl?: number;
  readonly env?: MulticastEnv;
}

const TTL = 120;
/** Sent again after that: single packets get lost. */
const ANNOUNCED_AGAIN_MS = [1000, 3000];
const GOODBYE_LIMIT_MS = 500;

const PROBLEMS: Readonly<Record<MulticastProblem, string>> = {
  none: 'This machine can be found on the LAN',
  'no network': 'No network: this machine cannot be found until one comes; tasks of this machine work',
  'port taken': `Another program keeps UDP port ${MDNS_PORT} to itself: this machine is not found by others, but can be added there by its address`,
};

/**
 * Tells the LAN of this machine's agent by multicast DNS, on every network that comes and goes. Nothing that happens to a
 * network ends it: what is in the way is logged.
 */
export class Advertiser {
  readonly #links: MulticastLinks;
  readonly #env: MulticastEnv;
  readonly #log: (line: string) => void;
  readonly #dataFolder: string;
  readonly #ttl: number;
  readonly #replies = new Map<Link, Replies>();
  readonly #again = new Set<ReturnType<typeof setTimeout>>();
  #agent: AdvertisedAgent | undefined;
  #twin = '';

  constructor({
    log,
    dataFolder,
    ttl = TTL,
    env = { open: openMulticast, interfaces: networkInterfaces, isWindows: process.platform === 'win32' },
  }: AdvertiserOptions) {
    this.#env = env;
    this.#log = log;
    this.#dataFolder = dataFolder;
    this.#ttl = ttl;
    this.#links = new MulticastLinks(env, {
      onPacket: (message, link, from) => this.#read(message, link, from),
      onOpen: (link) => {
        this.#replies.set(link, new Replies((answer) => this.#links.send(link, answer)));
        this.#announce();
      },
      onClose: (link) => {
        this.#replies.get(link)?.stop();
        this.#replies.delete(link);
        // The others shall not go on trying an address that is gone.
        this.#announce();
      },
      onProblem: (problem) => log(PROBLEMS[problem]),
    });
  }

  start(agent: AdvertisedAgent): void {
    this.#agent = agent;
    this.#links.start();
  }

  /** What has changed is announced; the machine's id must not. */
  update(agent: AdvertisedAgent): void {
    this.#agent = agent;
    this.#announce();
  }

  /** Says goodbye. Nothing is sent after it has resolved. */
  async stop(): Promise<void> {
    this.#stopRepeating();
    for (const replies of this.#replies.values()) replies.stop();
    const goodbye: DnsMessage = { type: 'response', answers: this.#records(0) };
    const sent = Promise.all(this.#links.links.map((link) => this.#links.send(link, goodbye)));
    await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, GOODBYE_LIMIT_MS).unref())]);
    await this.#links.close();
  }

  #announce(): void {
    this.#stopRepeating();
    this.#announceOnce();
    for (const delay of ANNOUNCED_AGAIN_MS) this.#again.add(setTimeout(() => this.#announceOnce(), delay));
  }

  #announceOnce(): void {
    const message: DnsMessage = { type: 'response', answers: this.#records(this.#ttl) };
    for (const link of this.#links.links) void this.#links.send(link, message);
  }

  #stopRepeating(): void {
    for (const timer of this.#again) clearTimeout(timer);
    this.#again.clear();
  }

  #records(ttl: number) {
    return this.#agent ? recordsOf({ agent: this.#agent, addresses: ownAddresses(this.#env.interfaces()), ttl }) : [];
  }

  #read(message: DnsMessage, link: Link, from: PacketSource): void {
    if (message.type === 'response') this.#lookForTwin(message, from);
    else this.#answer(message, link, from);
  }

  #answer(message: DnsMessage, link: Link, from: PacketSource): void {
    const answer = answerTo(message, this.#records(this.#ttl));
    if (!answer) return;
    if (from.port === MDNS_PORT) this.#replies.get(link)?.send(answer);
    else void this.#links.send(link, legacyAnswer(message, answer), from);
  }

  /** A copied disk brings the id of a machine to another one; each would take the other for itself. */
  #lookForTwin(message: DnsMessage, from: PacketSource): void {
    const agent = this.#agent;
    if (!agent) return;
    const name = instanceOf(agent.machine);
    const text = message.answers?.find((each) => each.type === 'TXT' && sameName(each.name, name) && each.ttl !== 0);
    const other = text && decodeAnnouncement(text.data);
    if (!other || other.startId === agent.startId || other.startId === this.#twin) return;
    this.#twin = other.startId;
    const way = `delete machine.json and agent/trust in ${this.#dataFolder} there, start the agent, and pair it anew`;
    this.#log(
      `Another machine at ${from.address} (${other.name}) has the id of this one, as after copying a disk: stop the agent on the copy, ${way}`,
    );
  }
}
