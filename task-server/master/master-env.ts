import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import type { WorkerCache } from '../worker/worker-interface.ts';
import type { HasKernel, PlacementRule } from './placement.ts';

/** Calls back after some milliseconds; the returned function calls it off. */
export type After = (ms: number, callback: () => void) => () => void;

/** What there is once per task and its master works with. Owned by the composition root. */
export interface MasterEnv {
  /** `/job:worker/replica:0/task:0` */
  readonly task: string;
  /** The task's own devices, CPU:0 first: feeds enter and fetches leave there. */
  readonly devices: readonly DeviceAttributes[];
  readonly workers: WorkerCache;
  readonly hasKernel: HasKernel;
  readonly placement: PlacementRule;
  /** One line for the task's log. */
  readonly log: (line: string) => void;
  readonly after: After;
}
