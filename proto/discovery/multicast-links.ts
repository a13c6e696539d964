import type { DnsMessage } from './dns.ts';
import type { Interfaces } from './interfaces.ts';
import { cameOver, type Link, linksOf, socketOptions } from './link.ts';

export interface PacketSource {
  readonly address: string;
  readonly port: number;
}

/** A socket of the package multicast-dns. */
export interface MulticastSocket {
  on(event: 'packet', listener: (message: DnsMessage, from: PacketSource) => void): unknown;
  on(event: 'error' | 'warning', listener: (error: Error & { code?: string }) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  /** To everybody, or to one. */
  send(message: DnsMessage & { flags?: number }, to: PacketSource | null, done: (error?: Error | null) => void): void;
  destroy(done?: () => void): void;
}

/** What is in the way of multicast: nothing, no network at all, or a port that another program does not share. */
export type MulticastProblem = 'none' | 'no network' | 'port taken';

export interface MulticastEnv {
  /** The package multicast-dns. */
  open(options: ReturnType<typeof socketOptions>): MulticastSocket;
  interfaces(): Interfaces;
  readonly isWindows: boolean;
}

export interface MulticastListener {
  onPacket(message: DnsMessage, link: Link, from: PacketSource): void;
  /** Packets can be sent there from now on. */
  onOpen(link: Link): void;
  onClose(link: Link): void;
  onProblem(problem: MulticastProblem): void;
}

interface OpenLink {
  readonly link: Link;
  readonly socket: MulticastSocket;
  isReady: boolean;
}

const POLL_MS = 2000;
/** A socket that could not be opened is tried again after that. */
const RETRY_MS = 8000;
/** So long without a poll: the machine has slept, and its sockets may be deaf. */
const SLEPT_MS = 15_000;
const AUTHORITATIVE = 1 << 10;

/**
 * Multicast DNS on every usable interface, with IPv4 and IPv6: a socket for each, because a socket speaks on one interface only.
 * The interfaces are looked at all the time: one that comes back with the same address would leave its old socket deaf for ever.
 */
export class MulticastLinks {
  readonly #env: MulticastEnv;
  readonly #listener: MulticastListener;
  readonly #open = new Map<string, OpenLink>();
  readonly #failed = new Map<string, number>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #polledAt = 0;
  #problem: MulticastProblem = 'none';

  constructor(env: MulticastEnv, listener: MulticastListener) {
    this.#env = env;
    this.#listener = listener;
  }

  get problem(): MulticastProblem {
    return this.#problem;
  }

  start(): void {
    this.#poll();
    this.#timer = setInterval(() => this.#poll(), POLL_MS);
  }

  get links(): readonly Link[] {
    return [...this.#open.values()].filter(({ isReady }) => isReady).map(({ link }) => link);
  }

  /** Over one link, to everybody or to one. Resolves when it has left, or cannot: then the link is looked at anew. */
  send(link: Link, message: DnsMessage, to: PacketSource | null = null): Promise<void> {
    const open = this.#open.get(link.key);
    if (!open?.isReady) return Promise.resolve();
    const flags = message.type === 'response' ? AUTHORITATIVE : 0;
    return new Promise((resolve) => {
      open.socket.send({ ...message, flags }, to && { ...to }, (error) => {
        if (error) this.#fail(open);
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const sockets = [...this.#open.values()].map(({ socket }) => new Promise<void>((resolve) => socket.destroy(resolve)));
    this.#open.clear();
    await Promise.all(sockets);
  }

  #poll(): void {
    const now = Date.now();
    const hasSlept = this.#polledAt > 0 && now - this.#polledAt > SLEPT_MS;
    this.#polledAt = now;
    const links = linksOf(this.#env.interfaces());
    const wanted = new Set(links.map(({ key }) => key));
    for (const open of [...this.#open.values()]) if (hasSlept || !wanted.has(open.link.key)) this.#close(open);
    for (const key of this.#failed.keys()) if (!wanted.has(key)) this.#failed.delete(key);
    for (const link of links) {
      if (!this.#open.has(link.key) && now - (this.#failed.get(link.key) ?? 0) >= RETRY_MS) this.#openLink(link);
    }
    this.#judge();
  }

  #openLink(link: Link): void {
    const socket = this.#env.open(socketOptions(link, this.#env.isWindows));
    const open: OpenLink = { link, socket, isReady: false };
    this.#open.set(link.key, open);
    socket.on('error', () => this.#fail(open));
    // Also for each packet that cannot be read: anybody may send one.
    socket.on('warning', ({ code }) => {
      if (code === 'ENODEV' || code === 'EADDRNOTAVAIL') this.#fail(open);
    });
    socket.on('packet', (message, from) => {
      if (cameOver(link, from.address, this.links)) this.#listener.onPacket(message, link, from);
    });
    socket.on('ready', () => {
      if (this.#open.get(link.key) !== open) return;
      open.isReady = true;
      this.#failed.delete(link.key);
      this.#judge();
      this.#listener.onOpen(link);
    });
  }

  #fail(open: OpenLink): void {
    if (this.#open.get(open.link.key) !== open) return;
    this.#failed.set(open.link.key, Date.now());
    this.#close(open);
    this.#judge();
  }

  #close({ link, socket }: OpenLink): void {
    this.#open.delete(link.key);
    socket.destroy();
    this.#listener.onClose(link);
  }

  #judge(): void {
    const problem = this.#open.size > 0 ? 'none' : this.#failed.size > 0 ? 'port taken' : 'no network';
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#listener.onProblem(problem);
  }
}
