import type { Socket } from 'node:net';
import type { Dialler } from '#proto/trust/dialler.ts';
import type { Identity } from '#proto/trust/identity.ts';
import { type ClusterTasks, parseHostPort } from './cluster-tasks.ts';
import { Link, type LinkEnv } from './link/link.ts';
import type { Log } from './log.ts';
import type { ServedCall } from './served-call.ts';
import type { UnaryMethod } from './unary-method.ts';

export interface PeerLinksEnv {
  readonly cluster: ClusterTasks;
  /** `/job:ps/replica:0/task:1` */
  readonly ownTask: string;
  readonly log: Log;
  /** In plain text without one. */
  readonly dialler?: Pick<Dialler, 'secure'> | undefined;
}

/** The links with one other task, each once. */
interface TaskLinks {
  dialled?: Link | undefined;
  accepted?: Link | undefined;
  /** The one of them that was there first. */
  used?: Link | undefined;
  dialling?: Promise<void> | undefined;
}

/**
 * The links of a task with the others. One each is used, whoever dialled it, so that what goes to one task at one time goes
 * in one piece. Only large messages go over the link that their receiver has dialled, who reads them with half the work; so a
 * task that gets one the other way dials. Owned by the composition root.
 */
export class PeerLinks {
  readonly #addresses: ReadonlyMap<string, string>;
  readonly #hello: string;
  readonly #dialler: Pick<Dialler, 'secure'> | undefined;
  readonly #env: LinkEnv & { methods: Map<string, UnaryMethod> };
  readonly #byTask = new Map<string, TaskLinks>();
  /** All that are open, also those with tasks of other clusters. */
  readonly #accepted = new Set<Link>();
  readonly #dialled = new Set<Link>();
  #isClosed = false;

  constructor({ cluster, ownTask, log, dialler }: PeerLinksEnv) {
    this.#dialler = dialler;
    this.#addresses = new Map(cluster.map(({ task, address }) => [task, address]));
    this.#hello = helloText(ownTask, this.#addresses.get(ownTask));
    this.#env = { methods: new Map(), calls: new Set(), log };
    for (const { task } of cluster) this.#byTask.set(task, {});
  }

  /** Calls of the other ends that this task is at work on. */
  get calls(): ReadonlySet<ServedCall> {
    return this.#env.calls;
  }

  /** What the other ends may call; said once, before there is a link. */
  serve(methods: readonly UnaryMethod[]): void {
    for (const method of methods) this.#env.methods.set(method.name, method);
  }

  /** Undefined while there is none. */
  to(task: string, isLarge = false): Link | undefined {
    const links = this.#byTask.get(task);
    return (isLarge ? links?.accepted : undefined) ?? links?.used;
  }

  /** Resolves when there is a link to this task, or it is clear that there will be none. */
  async dial(task: string): Promise<void> {
    const links = this.#byTask.get(task);
    if (this.#isClosed || !links || links.dialled) return;
    links.dialling ??= this.#connect(task).finally(() => {
      links.dialling = undefined;
    });
    await links.dialling;
  }

  /** A connection that began as a link does; `begin` is what came behind its first bytes, `peer` who its certificate is for. */
  accept(socket: Socket, begin: Buffer, peer?: readonly Identity[]): void {
    let task: string | undefined;
    let hasDialled = false;
    const link = Link.accept(socket, begin, this.#env, {
      onOpen: (opened, hello) => {
        task = this.#taskOf(hello, peer);
        this.#use(task, opened, 'accepted');
      },
      onLarge: () => {
        if (task !== undefined && !hasDialled) void this.dial(task);
        hasDialled = true;
      },
      onEnd: (ended) => this.#drop(task, ended),
    });
    if (!socket.destroyed) this.#accepted.add(link);
  }

  /** Hangs up on those who dialled, once their last answers are written. */
  endAccepted(): void {
    for (const link of this.#accepted) link.end();
  }

  close(): void {
    this.#isClosed = true;
    for (const link of [...this.#accepted, ...this.#dialled]) link.close();
  }

  #connect(task: string): Promise<void> {
    return new Promise((resolve) => {
      const address = this.#addresses.get(task) ?? '';
      const to = { ...parseHostPort(address), secure: this.#dialler?.secure(address, task) };
      const link = Link.dial(to, this.#hello, this.#env, {
        onOpen: (opened) => {
          this.#use(task, opened, 'dialled');
          resolve();
        },
        onEnd: (ended) => {
          this.#drop(task, ended);
          resolve();
        },
      });
      this.#dialled.add(link);
    });
  }

  #use(task: string | undefined, link: Link, end: 'accepted' | 'dialled'): void {
    const links = task === undefined ? undefined : this.#byTask.get(task);
    if (this.#isClosed) link.close();
    if (this.#isClosed || !links) return;
    links[end] ??= link;
    links.used ??= link;
  }

  #drop(task: string | undefined, link: Link): void {
    this.#accepted.delete(link);
    this.#dialled.delete(link);
    const links = task === undefined ? undefined : this.#byTask.get(task);
    if (!links) return;
    if (links.dialled === link) links.dialled = undefined;
    if (links.accepted === link) links.accepted = undefined;
    if (links.used === link) links.used = links.dialled ?? links.accepted;
  }

  /** A task of another cluster, one that this cluster has elsewhere, or one with another's name may call us but is not called back. */
  #taskOf(hello: string, peer: readonly Identity[] = []): string | undefined {
    const [claimed = ''] = hello.split('\n');
    const tasks = peer.filter(({ kind }) => kind === 'task');
    if (tasks.length > 0 && !tasks.some(({ name }) => name === claimed)) return undefined;
    for (const [task, address] of this.#addresses) if (helloText(task, address) === hello) return task;
    return undefined;
  }
}

function helloText(task: string, address: string | undefined): string {
  return `${task}\n${address}`;
}
