import { deadlineExceeded, StatusError, toCode, unavailable } from '#proto/wire/status.ts';
import type { Rope } from '../rope.ts';
import type { CallLimits, PendingCall } from '../transport.ts';
import { Kind } from './frame.ts';
import type { FrameWriter } from './frame-writer.ts';

interface OpenCall {
  readonly resolve: (response: Buffer) => void;
  readonly reject: (error: StatusError) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

const MAX_CALL = 2 ** 32 - 1;
const NOTHING = Buffer.alloc(0);
const SENT: PendingCall = { response: Promise.resolve(NOTHING), cancel: () => undefined };

/** In words by which callers tell a connection that broke from one that never was. */
const LOST = 'Connection dropped';

/** The calls that this end of a link makes. */
export class OutgoingCalls {
  readonly #writer: FrameWriter;
  readonly #open = new Map<number, OpenCall>();
  readonly #names = new Map<string, Buffer>();
  readonly #firstCall: number;
  #nextCall: number;
  #isLost = false;

  /** Calls are numbered `firstCall`, `firstCall + 2`… */
  constructor(writer: FrameWriter, firstCall: number) {
    this.#writer = writer;
    this.#firstCall = firstCall;
    this.#nextCall = firstCall;
  }

  start(method: string, message: Rope, { deadline, isNotice }: CallLimits): PendingCall {
    if (this.#isLost) return { response: Promise.reject(unavailable(LOST)), cancel: () => undefined };
    const call = this.#newCall();
    this.#writer.send({ kind: isNotice ? Kind.NOTICE : Kind.REQUEST, call, name: this.#name(method), message });
    if (isNotice) return SENT;
    const cancel = (reason: StatusError) => this.#cancel(call, reason);
    const response = new Promise<Buffer>((resolve, reject) => {
      const late = () => this.#cancel(call, deadlineExceeded('Deadline exceeded'));
      const timer = deadline === undefined ? undefined : setTimeout(late, deadline - Date.now());
      this.#open.set(call, { resolve, reject, timer });
    });
    return { response, cancel };
  }

  /** An answer to a call that has been cancelled comes too late and counts for nothing. */
  finish(call: number, response: Buffer): void {
    this.#take(call)?.resolve(response);
  }

  fail(call: number, message: Buffer): void {
    this.#take(call)?.reject(new StatusError(toCode(message[0] ?? 0), message.toString('utf8', 2), { derived: message[1] === 1 }));
  }

  /** The connection is gone. */
  end(): void {
    this.#isLost = true;
    for (const call of [...this.#open.keys()]) this.#take(call)?.reject(unavailable(LOST));
  }

  #cancel(call: number, reason: StatusError): void {
    const open = this.#take(call);
    if (!open) return;
    this.#writer.drop(call);
    this.#writer.sendControl(Kind.CANCEL, call);
    open.reject(reason);
  }

  #take(call: number): OpenCall | undefined {
    const open = this.#open.get(call);
    if (!open) return undefined;
    this.#open.delete(call);
    clearTimeout(open.timer);
    return open;
  }

  #newCall(): number {
    let call = this.#nextCall;
    while (this.#open.has(call)) call = this.#after(call);
    this.#nextCall = this.#after(call);
    return call;
  }

  #after(call: number): number {
    return call + 2 > MAX_CALL ? this.#firstCall : call + 2;
  }

  #name(method: string): Buffer {
    const known = this.#names.get(method);
    if (known) return known;
    const name = Buffer.from(method, 'latin1');
    this.#names.set(method, name);
    return name;
  }
}
