import { create } from '@bufbuild/protobuf';
import {
  DeviceStepStatsSchema,
  type NodeExecStats,
  NodeExecStatsSchema,
  type StepStats,
  StepStatsSchema,
} from '#proto/generated/tensorflow/step_stats_pb.ts';
import type { LoggingRequest } from '#proto/generated/tensorflow/worker_pb.ts';
import { type LoggingResponse, LoggingResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { parseRendezvousKey } from '#proto/wire/rendezvous-key.ts';
import { byteLength } from '#proto/wire/tensor.ts';
import type { RecvTensorCall, RecvTensorResult } from './worker-interface.ts';

/** Unix epoch, microseconds, by the receiver's clock. */
export interface TransferTimes {
  readonly requestedMicros: bigint;
  readonly repliedMicros: bigint;
}

/** Steps kept for masters that never fetch them; one more and all are dropped. */
const MAX_STEPS = 1024;

/**
 * The tensors that this process received from others, per step, for traces. Off until a master asks for it; several masters
 * may, so it counts. A step's entries are handed out once.
 */
export class TransferLog {
  #users = 0;
  /** Step id → receiving device → entries. */
  readonly #steps = new Map<bigint, Map<string, NodeExecStats[]>>();

  get enabled(): boolean {
    return this.#users > 0;
  }

  record(call: RecvTensorCall, result: RecvTensorResult, times: TransferTimes): void {
    if (!this.enabled) return;
    const { recvDevice } = parseRendezvousKey(call.key);
    if (!this.#steps.has(call.stepId) && this.#steps.size >= MAX_STEPS) this.#steps.clear();
    const devices = this.#steps.get(call.stepId) ?? new Map<string, NodeExecStats[]>();
    const entries = devices.get(recvDevice) ?? [];
    entries.push(transferStats(call.key, result, times));
    this.#steps.set(call.stepId, devices.set(recvDevice, entries));
  }

  /** One Logging call: switches, clears and reads out, in this order. */
  serve(request: LoggingRequest): LoggingResponse {
    if (request.enableRpcLogging) this.#users++;
    if (request.disableRpcLogging) this.#users = Math.max(0, this.#users - 1);
    if (request.clear) this.#steps.clear();
    const step = request.fetchStepId.flatMap((stepId) => {
      const stepStats = this.#take(stepId);
      return stepStats ? [{ stepId, stepStats }] : [];
    });
    return create(LoggingResponseSchema, { step });
  }

  #take(stepId: bigint): StepStats | undefined {
    const devices = this.#steps.get(stepId);
    if (!devices) return undefined;
    this.#steps.delete(stepId);
    const devStats = [...devices].map(([device, nodeStats]) => create(DeviceStepStatsSchema, { device, nodeStats }));
    return create(StepStatsSchema, { devStats });
  }
}

function transferStats(key: string, { tensor, sendStartMicros }: RecvTensorResult, times: TransferTimes): NodeExecStats {
  const { sendDevice, recvDevice, tensorName } = parseRendezvousKey(key);
  // The clocks of two machines differ: what the sender says counts only as far as it can be true.
  const latestStart = max(times.repliedMicros - 1n, times.requestedMicros);
  const start = max(times.requestedMicros, min(sendStartMicros, latestStart));
  const elapsed = times.repliedMicros - start;
  const bytes = byteLength(tensor);
  const label = `${sizeText(bytes)} ${rateText(bytes, Number(elapsed))}${tensorName} from ${sendDevice} to ${recvDevice}`;
  return create(NodeExecStatsSchema, {
    nodeName: 'RecvTensor',
    timelineLabel: label,
    allStartMicros: start,
    allStartNanos: start * 1000n,
    scheduledMicros: start,
    scheduledNanos: start * 1000n,
    opEndRelMicros: elapsed,
    opEndRelNanos: elapsed * 1000n,
    allEndRelMicros: elapsed,
    allEndRelNanos: elapsed * 1000n,
    output: [{ slot: 0, tensorDescription: { allocationDescription: { requestedBytes: BigInt(bytes) } } }],
  });
}

const MEBIBYTE = 1024 * 1024;

function sizeText(bytes: number): string {
  return bytes >= 0.1 * MEBIBYTE ? `[${(bytes / MEBIBYTE).toFixed(1)}MB]` : `[${bytes}B]`;
}

/** Bits a microsecond are megabits a second. Nothing for a transfer too short to measure. */
function rateText(bytes: number, elapsedMicros: number): string {
  if (elapsedMicros <= 0) return '';
  const rate = (bytes * 8) / elapsedMicros;
  return rate >= 1000 ? `[${(rate / 1000).toFixed(1)}Gb/s] ` : `[${rate.toFixed(6)}Mb/s] `;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
