import type { Socket } from 'node:net';
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
}

/** The links of a task with the others: one each is used, whoever dialled it. Owned by the composition root. */
export class PeerLinks {
  readonly #addresses: ReadonlyMap<string, string>;
  readonly #hello: string;
  readonly #env: LinkEnv & { methods: Map<string, UnaryMethod> };
  readonly #byTask = new Map<string, Link>();
  readonly #dialled = new Set<Link>();
  /** Also those of tasks that already had one, or are none of this cluster. */
  readonly #accepted = new Set<Link>();
  readonly #dialling = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor({ cluster, ownTask, log }: PeerLinksEnv) {
    this.#addresses = new Map(cluster.map(({ task, address }) => [task, address]));
    this.#hello = helloText(ownTask, this.#addresses.get(ownTask));
    this.#env = { methods: new Map(), calls: new Set(), log };
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
  to(task: string): Link | undefined {
    return this.#byTask.get(task);
  }

  /** Resolves when there is a link to this task, or it is clear that there will be none. */
  async dial(task: string): Promise<void> {
    if (this.#isClosed || this.#byTask.has(task)) return;
    let dialled = this.#dialling.get(task);
    if (!dialled) {
      dialled = this.#connect(task).finally(() => this.#dialling.delete(task));
      this.#dialling.set(task, dialled);
    }
    await dialled;
  }

  /** A connection that began as a link does; `begin` is what came behind its first bytes. */
  accept(socket: Socket, begin: Buffer): void {
    const link = Link.accept(socket, begin, this.#env, {
      onOpen: (opened, hello) => this.#use(this.#taskOf(hello), opened),
      onEnd: (ended) => this.#drop(ended),
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
      const to = parseHostPort(this.#addresses.get(task) ?? '');
      const link = Link.dial(to, this.#hello, this.#env, {
        onOpen: (opened) => {
          this.#use(task, opened);
          resolve();
        },
        onEnd: (ended) => {
          this.#drop(ended);
          resolve();
        },
      });
      this.#dialled.add(link);
    });
  }

  #use(task: string | undefined, link: Link): void {
    if (this.#isClosed) link.close();
    else if (task !== undefined && !this.#byTask.has(task)) this.#byTask.set(task, link);
  }

  #drop(link: Link): void {
    this.#accepted.delete(link);
    this.#dialled.delete(link);
    for (const [task, used] of this.#byTask) if (used === link) this.#byTask.delete(task);
  }

  /** A task of another cluster, or one that this cluster has elsewhere, may call us but is not called back. */
  #taskOf(hello: string): string | undefined {
    for (const [task, address] of this.#addresses) if (helloText(task, address) === hello) return task;
    return undefined;
  }
}

function helloText(task: string, address: string | undefined): string {
  return `${task}\n${address}`;
}
