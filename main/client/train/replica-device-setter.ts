import { formatDeviceName } from '#proto/wire/device-name.ts';
import { deviceSpec } from '../graph/device-scopes.ts';
import type { DeviceFunction } from '../graph/node.ts';
import type { ClusterSpec } from '../session/cluster-spec.ts';

export interface ReplicaDeviceSetterOptions {
  /** Number of ps tasks; that of `cluster` by default. */
  readonly psTasks?: number;
  readonly cluster?: ClusterSpec;
  readonly psDevice?: string;
  readonly workerDevice?: string;
  /** Ops that go to a ps task: those that hold state, by default. */
  readonly psOps?: readonly string[];
}

/** Ops whose state the replicas share. */
const standardPsOps = `Variable VariableV2 AutoReloadVariable MutableHashTable MutableHashTableV2 MutableHashTableOfTensors
  MutableHashTableOfTensorsV2 MutableDenseHashTable MutableDenseHashTableV2 VarHandleOp BoostedTreesEnsembleResourceHandleOp
  BoostedTreesQuantileStreamResourceHandleOp ResourceConditionalAccumulator DecisionTreeResource`.split(/\s+/);

/**
 * A device function for between-graph replication: variables go to the ps tasks in turn, in the order of their creation, and
 * everything else to the worker. `g.device(replicaDeviceSetter({ cluster, workerDevice: '/job:worker/task:1' }), () => …)`.
 * Use a new one for each graph. Without ps tasks all nodes go to the worker.
 */
export function replicaDeviceSetter(options: ReplicaDeviceSetterOptions = {}): DeviceFunction {
  const ps = deviceSpec(options.psDevice ?? '/job:ps');
  const worker = options.workerDevice ?? '/job:worker';
  const tasks = options.psTasks ?? (ps.job === undefined ? 0 : (options.cluster?.taskCount(ps.job) ?? 0));
  const psOps = new Set(options.psOps ?? standardPsOps);
  let next = 0;
  return ({ type, device }) => {
    if (tasks === 0 || !psOps.has(type)) return worker;
    const { job } = deviceSpec(device);
    if (ps.job === undefined || (job !== undefined && job !== ps.job)) return formatDeviceName(ps);
    return formatDeviceName({ ...ps, task: next++ % tasks });
  };
}
