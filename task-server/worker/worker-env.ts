import type { Device } from '../engine/device.ts';
import type { KernelRegistry } from '../engine/kernel-registry.ts';
import type { RendezvousMgr } from './rendezvous-mgr.ts';
import type { TransferLog } from './transfer-log.ts';
import type { TransferRoutes } from './transfer-routes.ts';

/** What there is once per task and its worker works with. Owned by the composition root, which disposes it. */
export interface WorkerEnv {
  /** `/job:ps/replica:0/task:1` */
  readonly task: string;
  /** CPU:0 first. */
  readonly devices: readonly Device[];
  readonly kernels: KernelRegistry;
  readonly rendezvousMgr: RendezvousMgr;
  readonly routes: TransferRoutes;
  readonly transferLog: TransferLog;
  /** Calls back once the process has looked after its other events (`setImmediate`). */
  readonly yieldToEvents: (resume: () => void) => void;
}
