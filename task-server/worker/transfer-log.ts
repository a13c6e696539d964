import { create } from '@bufbuild/protobuf';
import {
  type DeviceStepStats,
  DeviceStepStatsSchema,
  type NodeExecStats,
  NodeExecStatsSchema,
} from '#proto/generated/tensorflow/step_stats_pb.ts';
import type { LoggingRequest } from '#proto/generated/tensorflow/worker_pb.ts';
import { type LoggingResponse, LoggingResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { parseRendezvousKey } from '#proto/wire/rendezvous-key.ts';
import { byteLength } from '#proto/wire/tensor.ts';
import type { RecvTensorResult } from './worker-interface.ts';

/** Unix epoch, microseconds, by the receiver's clock. */
export interface TransferTimes {
  /** 0 when nobody asked: the sender's word counts then. */
  readonly requestedMicros: bigint;
  readonly repliedMicros: bigint;
}

/** The tensors that this process received from others for one step. */
export class StepTransfers {
  /** Receiving device → entries. */
  readonly #devices = new Map<string, NodeExecStats[]>();

  record(key: string, transfer: RecvTensorResult & TransferTimes): void {
    const { recvDevice } = parseRendezvousKey(key);
    const entries = this.#devices.get(recvDevice) ?? [];
    entries.push(transferStats(key, transfer));
    this.#devices.set(recvDevice, entries);
  }

  devStats(): DeviceStepStats[] {
    return [...this.#devices].map(([device, nodeStats]) => create(DeviceStepStatsSchema, { device, nodeStats }));
  }
}

/** Steps kept for masters that never fetch them; one more and all are dropped. */
const MAX_STEPS = 1024;

/**
 * The transfers of all steps whose master reads them out, as TensorFlow's masters do. Off until one asks for it; several
 * may, so it counts. A step's entries are handed out once.
 */
export class TransferLog {
  #users = 0;
  readonly #steps = new Map<bigint, StepTransfers>();

  get enabled(): boolean {
    return this.#users > 0;
  }

  record(stepId: bigint, key: string, transfer: RecvTensorResult & TransferTimes): void {
    if (!this.enabled) return;
    let transfers = this.#steps.get(stepId);
    if (!transfers) {
      if (this.#steps.size >= MAX_STEPS) this.#steps.clear();
      transfers = new StepTransfers();
      this.#steps.set(stepId, transfers);
    }
    transfers.record(key, transfer);
  }

  /** One Logging call: switches, clears and reads out, in this order. */
  serve(request: LoggingRequest): LoggingResponse {
    if (request.enableRpcLogging) this.#users++;
    if (request.disableRpcLogging) this.#users = Math.max(0, this.#users - 1);
    if (request.clear) this.#steps.clear();
    const step = request.fetchStepId.flatMap((stepId) => {
      const transfers = this.#steps.get(stepId);
      this.#steps.delete(stepId);
      return transfers ? [{ stepId, stepStats: { devStats: transfers.devStats() } }] : [];
    });
    return create(LoggingResponseSchema, { step });
  }
}

function transferStats(key: string, { tensor, sendStartMicros, ...times }: RecvTensorResult & TransferTimes): NodeExecStats {
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
