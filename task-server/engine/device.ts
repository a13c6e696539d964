import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import type { Attrs } from '#proto/wire/attr.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { ResourceManager } from './resource-manager.ts';

export type DeviceType = 'CPU' | 'GPU';

/** One call of a pure kernel; all of it can be posted to another thread. */
export interface PureCall {
  readonly op: string;
  readonly attrs: Attrs;
  readonly inputs: readonly Tensor[];
  /** For messages and traces. */
  readonly node: string;
}

/**
 * Runs pure kernels for one device. Cheap calls are answered at once (an array); others leave the serving thread (a
 * promise), which so never computes for more than 5 ms at a stretch.
 */
export interface Computer {
  run(call: PureCall, signal?: AbortSignal): Tensor[] | Promise<Tensor[]>;
  /** Name of the numeric library behind it, for `physical_device_desc` and the coverage table. */
  readonly backend: string;
  dispose(): Promise<void>;
}

/**
 * Where kernels run. A device instance lives as long as its task process; its incarnation is new at every start. The
 * view of a device that an isolated session gets shares everything but the resources.
 */
export interface Device {
  /** Full name, `/job:ps/replica:0/task:0/device:CPU:0`. */
  readonly name: string;
  readonly type: DeviceType;
  /** Unsigned 64 bits, never 0. */
  readonly incarnation: bigint;
  /** As GetStatus and ListDevices report it. */
  readonly attributes: DeviceAttributes;
  readonly resources: ResourceManager;
  readonly computer: Computer;
}
