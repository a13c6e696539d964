import type { PartialShape } from '#proto/wire/attr.ts';
import { invalidArgument, StatusError } from '#proto/wire/status.ts';
import { shapeText } from '#proto/wire/tensor.ts';
import type { OpDef } from './op-def.ts';
import type { ShapeContext, ShapeFunction } from './shape-function.ts';
import { arrayShapes } from './shape-inference-array.ts';
import { mathShapes } from './shape-inference-math.ts';
import { stateShapes } from './shape-inference-state.ts';

const shapeFunctions: Readonly<Record<string, ShapeFunction>> = { ...arrayShapes, ...mathShapes, ...stateShapes };

/**
 * Static shapes of the `count` outputs of a node; unknown where the op has no shape function. Throws INVALID_ARGUMENT that
 * names node, op and input shapes when these cannot be right.
 */
export function inferShapes(def: OpDef, context: ShapeContext, count: number): PartialShape[] {
  const infer = Object.hasOwn(shapeFunctions, def.name) ? shapeFunctions[def.name] : undefined;
  const shapes = infer ? named(def, context, infer) : [];
  return Array.from({ length: count }, (_, i) => shapes[i]);
}

/** `[2,?]`, or `<unknown>` when not even the rank is known. */
export function partialShapeText(shape: PartialShape): string {
  return shape ? shapeText(shape).replaceAll('-1', '?') : '<unknown>';
}

function named(def: OpDef, context: ShapeContext, infer: ShapeFunction): readonly PartialShape[] {
  try {
    return infer(context);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const shapes = context.inputs.map(({ shape }) => partialShapeText(shape)).join(', ');
    throw invalidArgument(`${error.message} for '${context.node}' (op: '${def.name}') with input shapes: ${shapes}.`, { cause: error });
  }
}
