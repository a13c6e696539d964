import { mergeShapes } from './shape-algebra.ts';
import { type ShapeFunction, table } from './shape-function.ts';

const applyOps = 'ApplyGradientDescent ApplyMomentum ApplyAdam ApplyAdagrad ApplyRMSProp AssignAdd AssignSub';
const scatterOps = 'ScatterUpdate ScatterAdd ScatterSub ScatterMul ScatterDiv ScatterMin ScatterMax CountUpTo';
const scalars = `VarHandleOp IsVariableInitialized VarIsInitializedOp FIFOQueueV2 PaddingFIFOQueueV2 RandomShuffleQueueV2
  PriorityQueueV2 QueueSizeV2 QueueIsClosedV2`;

/** Variables, queues and the ops that change them. What a resource variable holds is known to the client library only. */
export const stateShapes: Readonly<Record<string, ShapeFunction>> = {
  ...table('VariableV2 Variable TemporaryVariable', ({ attrs }) => [attrs.shape('shape')]),
  ...table(applyOps, ({ inputs }) => [inputs[0]?.shape]),
  ...table(scatterOps, ({ inputs }) => [inputs[0]?.shape]),
  ...table(scalars, () => [[]]),
  Assign: ({ inputs: [ref, value], attrs }) => [attrs.bool('validate_shape') ? mergeShapes(ref?.shape, value?.shape) : value?.shape],
};
