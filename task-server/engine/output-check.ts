import { internal, type StatusError } from '#proto/wire/status.ts';
import type { GraphNode } from './graph.ts';
import { DEAD, type Output } from './kernel.ts';
import { nodeText } from './node-error.ts';
import { VariableRef } from './variable.ts';

/** What is wrong with a kernel's outputs, by the node's own declaration: INTERNAL, or undefined when nothing is. */
export function outputProblem(node: GraphNode, outputs: readonly Output[]): StatusError | undefined {
  const declared = node.outputTypes;
  for (let output = 0; output < declared.length; output++) {
    const value = outputs[output];
    const type = declared[output];
    if (value === DEAD || type === undefined) continue;
    if (value === undefined) return internal(`Missing ${output}-th output from ${nodeText(node)}`);
    const isRef = value instanceof VariableRef;
    const dtype = isRef ? value.variable.dtype : value.dtype;
    if (dtype === type.dtype && isRef === type.isRef) continue;
    return internal(
      `Output ${output} of type ${typeText(dtype, isRef)} does not match declared output type ${typeText(type.dtype, type.isRef)} for node ${nodeText(node)}`,
    );
  }
  return undefined;
}

function typeText(dtype: string, isRef: boolean): string {
  return isRef ? `${dtype}_ref` : dtype;
}
