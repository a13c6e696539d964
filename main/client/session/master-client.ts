import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { addressOf, openChannel } from './channel.ts';
import type { ClusterSpec } from './cluster-spec.ts';
import { type Probe, probeTask } from './probe.ts';
import { type CallOptions, type UnaryMethod, unaryCall } from './unary-call.ts';
import { explainWait, type OnWait } from './wait-watch.ts';

export interface MasterClientOptions {
  /** Told within 5 s, and every 5 s again, what a call waits for: which task, at which address, why, since when. */
  readonly onWait?: OnWait;
  /** The cluster, so that a task that the master waits for can be named. */
  readonly cluster?: ClusterSpec;
  /** Limit for each call but RunStep; none by default. */
  readonly operationTimeoutMs?: number;
  /** For a task on another machine: dial by TLS with these PEM files; LANFLOW_TLS_CERT, _KEY, _CA and _CRL by default. */
  readonly tls?: TlsFiles;
  /** How tasks are asked whether they are there; for tests. */
  readonly probe?: Probe;
}

/** The connection of a client to one master. */
export class MasterClient {
  readonly #address: string;
  readonly #channel: ReturnType<typeof openChannel>;
  readonly #options: MasterClientOptions;

  constructor(target: string, options: MasterClientOptions) {
    this.#address = addressOf(target);
    this.#channel = openChannel(this.#address, options.tls);
    this.#options = options;
  }

  /** Calls a method of the master; a call that takes long is explained to `onWait`. */
  call<I extends DescMessage, O extends DescMessage>(
    method: UnaryMethod<I, O>,
    request: MessageInitShape<I>,
    options: CallOptions = {},
  ): Promise<MessageShape<O>> {
    const { onWait, cluster, tls, operationTimeoutMs } = this.#options;
    const probe: Probe = this.#options.probe ?? ((address, signal) => probeTask(address, signal, tls));
    const call = unaryCall(this.#channel, method, request, { timeoutMs: operationTimeoutMs, ...options });
    if (!onWait) return call;
    const what = method.path.slice(method.path.lastIndexOf('/') + 1);
    return explainWait(what, call, { address: this.#address, tasks: cluster?.tasks ?? [], onWait, probe });
  }

  close(): void {
    this.#channel.close();
  }
}
