import { cancelled, internal, isDerived, type StatusError, toStatusError, unimplemented } from '#proto/wire/status.ts';
import type { Log } from '../log.ts';
import { type Rope, ropeOf } from '../rope.ts';
import { ServedCall } from '../served-call.ts';
import type { UnaryMethod } from '../unary-method.ts';
import { Kind } from './frame.ts';
import type { FrameWriter } from './frame-writer.ts';

export interface ServingEnv {
  /** The methods that the other side may call, by name. */
  readonly methods: ReadonlyMap<string, UnaryMethod>;
  /** All calls that the task is at work on; whoever stops the task aborts them. */
  readonly calls: Set<ServedCall>;
  readonly log: Log;
}

/** The calls that the other side of a link makes. */
export class IncomingCalls {
  readonly #env: ServingEnv;
  readonly #writer: FrameWriter;
  readonly #calls = new Map<number, ServedCall>();

  constructor(env: ServingEnv, writer: FrameWriter) {
    this.#env = env;
    this.#writer = writer;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Answers in time. INTERNAL when such a call is under way. */
  serve(id: number, name: string, request: Buffer): void {
    if (this.#calls.has(id)) throw internal(`Call ${id} began twice`);
    const call = new ServedCall();
    this.#calls.set(id, call);
    this.#env.calls.add(call);
    this.#handle(name, request, call).then(
      (message) => this.#answer(id, call, message),
      (thrown) => this.#refuse(id, call, toStatusError(thrown)),
    );
  }

  notice(name: string, request: Buffer): void {
    this.#handle(name, request, new ServedCall()).catch((thrown) => {
      this.#env.log.debug(`${name} failed, and nobody waits for its answer: ${toStatusError(thrown).message}`);
    });
  }

  cancel(id: number): void {
    const reason = cancelled('The call was cancelled by the caller');
    const call = this.#calls.get(id);
    if (call) call.abort(reason);
    else if (this.#writer.drop(id)) this.#sendError(id, reason);
  }

  /** The connection is gone. */
  end(): void {
    const reason = cancelled('The caller is gone');
    for (const call of this.#calls.values()) call.abort(reason);
  }

  async #handle(name: string, request: Buffer, call: ServedCall): Promise<Rope> {
    const { log, methods } = this.#env;
    if (log.traces('rpc')) log.trace('rpc', `${name} over the link, ${request.length} bytes`);
    const method = methods.get(name);
    if (!method) throw unimplemented(`${name} is not served over the link`);
    return method.handle(request, call);
  }

  #answer(id: number, call: ServedCall, message: Rope): void {
    this.#forget(id, call);
    this.#writer.send({ kind: Kind.RESPONSE, call: id, message });
  }

  #refuse(id: number, call: ServedCall, error: StatusError): void {
    const { log } = this.#env;
    if (log.traces('rpc')) log.trace('rpc', `call ${id} failed: ${error.codeName}: ${error.message}`);
    this.#forget(id, call);
    this.#sendError(id, error);
  }

  #sendError(id: number, error: StatusError): void {
    const head = Uint8Array.of(error.code, isDerived(error) ? 1 : 0);
    this.#writer.send({ kind: Kind.ERROR, call: id, message: ropeOf(Buffer.concat([head, Buffer.from(error.message)])) });
  }

  #forget(id: number, call: ServedCall): void {
    this.#calls.delete(id);
    this.#env.calls.delete(call);
  }
}
