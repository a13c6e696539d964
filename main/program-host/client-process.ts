import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { StatusError, toCode, unavailable } from '#proto/wire/status.ts';
import type { Answers, ClientEvent, FromHost, ProgramSource, Request, Steer, ToHost } from './protocol.ts';

export interface ClientProcessOptions {
  /** The built host program. */
  readonly entry: string;
  readonly source: ProgramSource;
  readonly onEvent: (event: ClientEvent) => void;
}

interface Asked {
  resolve(value: Answers[keyof Answers]): void;
  reject(error: StatusError): void;
}

/** How long a client may go on after it was asked to stop, in milliseconds; Stop is to end any program within a second. */
const STOP_MS = 600;

/** One host process. Its owner calls `stop`; a host whose owner is gone ends by itself. */
export class ClientProcess {
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, Asked>();
  readonly #answers = new Set<Promise<unknown>>();
  readonly #exited: Promise<void>;
  #nextId = 0;

  constructor({ entry, source, onEvent }: ClientProcessOptions) {
    this.#child = fork(entry, [], { serialization: 'advanced', stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    // What a program prints is shown like what it logs.
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        for (const line of text.trimEnd().split('\n')) onEvent({ kind: 'log', text: line });
      });
    }
    this.#child.on('message', (message: FromHost) => (message.kind === 'event' ? onEvent(message.event) : this.#settle(message)));
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#rejectAll(`could not be started: ${error.message}`);
        resolve();
      });
      this.#child.once('exit', (code, signal) => {
        this.#rejectAll(`ended with ${signal ?? `exit code ${code}`} before it was finished`);
        resolve();
      });
    });
    this.#send({ kind: 'load', source });
  }

  /** Rejects with the program's own StatusError, or with UNAVAILABLE when its process ends before it answers. */
  ask<R extends Request>(request: R): Promise<Answers[R['kind']]> {
    const id = this.#nextId++;
    const answer = new Promise<Answers[keyof Answers]>((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#send({ kind: 'request', id, request });
    });
    const settled = answer.then(
      () => undefined,
      () => undefined,
    );
    this.#answers.add(settled);
    void settled.then(() => this.#answers.delete(settled));
    // The host answers a request of one kind with the answer of that kind.
    return answer as Promise<Answers[R['kind']]>;
  }

  steer(steer: Steer): void {
    this.#send({ kind: 'steer', steer });
  }

  /** Asks the program to end, and ends its process when it does not within a second. */
  async stop(): Promise<void> {
    if (this.#answers.size > 0) {
      this.#send({ kind: 'stop' });
      const isIdle = await endsWithin(Promise.all(this.#answers), STOP_MS);
      if (!isIdle) this.#child.kill('SIGKILL');
    }
    if (this.#child.connected) this.#child.disconnect();
    if (!(await endsWithin(this.#exited, STOP_MS))) this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #send(message: ToHost): void {
    // A host that has just ended is reported by its exit, not by a message that could not be sent.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #settle(message: Exclude<FromHost, { kind: 'event' }>): void {
    const asked = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (message.kind === 'result') asked?.resolve(message.value);
    else asked?.reject(new StatusError(toCode(message.code), message.message, { details: message.details }));
  }

  #rejectAll(why: string): void {
    for (const asked of this.#asked.values()) asked.reject(unavailable(`The program's process ${why}`));
    this.#asked.clear();
  }
}

async function endsWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const limit = new AbortController();
  const timeout = delay(milliseconds, false, { signal: limit.signal }).catch(() => false);
  const ended = await Promise.race([work.then(() => true), timeout]);
  limit.abort();
  return ended;
}
