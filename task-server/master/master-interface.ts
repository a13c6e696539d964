import type { CreateSessionRequest, ExtendSessionRequest, ListDevicesResponse } from '#proto/generated/tensorflow/master_pb.ts';
import type { RunMetadata, RunOptions } from '#proto/generated/tensorflow/run_options_pb.ts';
import type { Tensor } from '#proto/wire/tensor.ts';

/** A tensor under the exact text that the client used (`x:0`). */
export interface NamedTensor {
  readonly name: string;
  readonly tensor: Tensor;
}

/** Source: RunStepRequest of TensorFlow's MasterService. */
export interface RunStepCall {
  readonly sessionHandle: string;
  readonly feeds: readonly NamedTensor[];
  /** Endpoints, `node:output`. */
  readonly fetches: readonly string[];
  /** Node names. */
  readonly targets: readonly string[];
  readonly options: RunOptions | undefined;
}

export interface RunStepResult {
  /** One per fetch, under the same texts. */
  readonly tensors: readonly NamedTensor[];
  readonly metadata: RunMetadata | undefined;
}

/** Every call can be cancelled: by the client, by its deadline, by the server that stops. */
export interface MasterCallOptions {
  readonly signal?: AbortSignal;
  /** Aborted once the connection over which the client made the call is gone. The same one for all its calls. */
  readonly connection?: AbortSignal | undefined;
}

/**
 * The master service of a task: the side of a session that the client dials. All methods reject with StatusError whose
 * code and text are TensorFlow's.
 */
export interface MasterInterface {
  /** Waits for every task of the cluster that the device filters keep. */
  createSession(request: CreateSessionRequest, options?: MasterCallOptions): Promise<{ sessionHandle: string; graphVersion: bigint }>;
  /** Resolves to the new graph version. */
  extendSession(request: ExtendSessionRequest, options?: MasterCallOptions): Promise<bigint>;
  runStep(call: RunStepCall, options?: MasterCallOptions): Promise<RunStepResult>;
  closeSession(sessionHandle: string, options?: MasterCallOptions): Promise<void>;
  listDevices(sessionHandle: string, options?: MasterCallOptions): Promise<ListDevicesResponse>;
  /** Frees containers on all tasks, then closes every session of this master. */
  reset(containers: readonly string[], deviceFilters: readonly string[], options?: MasterCallOptions): Promise<void>;
}
