/** The client library: build dataflow graphs, run them on clusters of Lanflow or TensorFlow tasks, look at what ran where. */

export { type RunMetadata, RunOptions_TraceLevel as TraceLevel } from '#proto/generated/tensorflow/run_options_pb.ts';
export type { TlsFiles } from '#proto/trust/tls-files.ts';
export type { PartialShape } from '#proto/wire/attr.ts';
export { type ChromeTrace, toChromeTrace } from '#proto/wire/chrome-trace.ts';
export { stepTimeline } from '#proto/wire/clocks/step-timeline.ts';
export { type DeviceSpec, formatDeviceName, parseDeviceName } from '#proto/wire/device-name.ts';
export type { DType } from '#proto/wire/dtype.ts';
export { Code, type CodeName, StatusError } from '#proto/wire/status.ts';
export { makeTensor, type Tensor, type TypedArray } from '#proto/wire/tensor.ts';
export { buildTimeline, type DeviceTimeline, type Timeline, type TimelineEntry } from '#proto/wire/timeline.ts';
export type { Transfer } from '#proto/wire/transfer-label.ts';
export type { GradientOptions } from './gradients/gradients.ts';
export type { AttrInput } from './graph/attrs.ts';
export { decodeGraphDef, encodeGraphDef, formatGraphDef, parseGraphDef } from './graph/graph-file.ts';
export type { ImportOptions } from './graph/import-graph.ts';
export {
  type ControlInput,
  type DeviceFunction,
  type GraphBuilder,
  Node,
  type OpOptions,
  Output,
  type TensorInput,
} from './graph/node.ts';
export { toNested, toNumber, toTensor, type Value } from './graph/values.ts';
export { Graph } from './graph.ts';
export { type Initializer, initializers } from './ops/initializers.ts';
export type { FifoQueue, QueueOptions } from './ops/queue.ts';
export { Variable, type VariableOptions } from './ops/variable.ts';
export { type GraphPlacement, type NodeProblem, type PlacementConfig, type PlaceOptions, placeGraph } from './placement.ts';
export {
  defineProgram,
  ONLY_CLIENT,
  type Outcome,
  type Outcomes,
  type Program,
  type ProgramContext,
  type TaskContext,
} from './program.ts';
export { type ClusterInput, ClusterSpec, type ClusterTask, type TfConfig } from './session/cluster-spec.ts';
export type { DeviceInfo } from './session/device-info.ts';
export type { Feeds } from './session/feeds.ts';
export type { Fetchable, Fetched, Fetches } from './session/fetches.ts';
export { LocalTask, type LocalTaskOptions } from './session/local-task.ts';
export { type RunOptions, Session, type SessionOptions } from './session/session.ts';
export { type TaskStats, taskStats } from './session/task-stats.ts';
export type { OnWait, WaitReport } from './session/wait-watch.ts';
export { globalStep } from './train/global-step.ts';
export { type GradientAndVariable, Optimizer } from './train/optimizer.ts';
export { AdamOptimizer, GradientDescentOptimizer, MomentumOptimizer } from './train/optimizers.ts';
export { type ReplicaDeviceSetterOptions, replicaDeviceSetter } from './train/replica-device-setter.ts';
