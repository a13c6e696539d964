import { opDef } from '#proto/ops/registry.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { toStatusError } from '#proto/wire/status.ts';
import type {
  ConstantNode,
  DocumentNode,
  GradientsNode,
  OpNode,
  OptimizerNode,
  PlaceholderNode,
  ReduceNode,
  VariableNode,
} from './document.ts';
import type { TypedInput } from './op-types.ts';
import { type Problem, problem } from './problem.ts';
import { constantOf, type TensorType, unknownType } from './tensor-type.ts';
import { elementsOf } from './tensor-value.ts';
import { type OpTyping, typeOp } from './type-op.ts';

/** Inputs of a node: for each slot what is connected. */
export type NodeInputs = readonly (readonly TypedInput[])[];

/** What a node gives, and what is wrong with it, given its inputs. */
export function typeNode(node: DocumentNode, inputs: NodeInputs): OpTyping {
  switch (node.kind) {
    case 'op':
      return typePlain(node, inputs);
    case 'constant':
      return typeConstant(node);
    case 'placeholder':
      return one('output', placeholderType(node));
    case 'variable':
      return typeVariable(node);
    case 'reduce':
      return typeReduce(node, inputs);
    case 'gradients':
      return typeGradients(node, inputs);
    case 'optimizer':
      return { outputs: [], outputNames: [], problems: optimizerProblems(node, inputs) };
  }
}

function one(name: string, type: TensorType, problems: readonly Problem[] = []): OpTyping {
  return { outputs: [type], outputNames: [name], problems };
}

function typePlain(node: OpNode, inputs: NodeInputs): OpTyping {
  const def = opDef(node.op);
  return def ? typeOp(node, def, inputs) : { outputs: [], outputNames: [], problems: [problem('unknownOp', node.name, { op: node.op })] };
}

function typeConstant({ name, dtype, shape, value }: ConstantNode): OpTyping {
  try {
    const found = elementsOf(value, dtype, shape);
    const filled = shape && found.elements.length === 1 ? undefined : constantOf(dtype, found.elements);
    return one('output', { dtype, isRef: false, shape: found.shape, ...(filled && { constant: filled }) });
  } catch (error) {
    return one('output', { ...unknownType, dtype }, [problem('badValue', name, { reason: toStatusError(error).message })]);
  }
}

function placeholderType({ dtype, shape }: PlaceholderNode): TensorType {
  return { dtype, isRef: false, shape: shape ?? undefined };
}

function typeVariable({ name, dtype, shape, initial }: VariableNode): OpTyping {
  const type = { dtype, isRef: true, shape: shape ?? undefined };
  if (initial.initializer !== 'value') return one('value', type, shape ? [] : [problem('noShape', name)]);
  try {
    return one('value', { ...type, shape: elementsOf(initial.value, dtype, shape).shape });
  } catch (error) {
    return one('value', type, [problem('badValue', name, { reason: toStatusError(error).message })]);
  }
}

/** As its op, whose second input holds the axes. */
function typeReduce(node: ReduceNode, inputs: NodeInputs): OpTyping {
  const def = opDef(node.op);
  if (!def) return one('output', unknownType);
  const rank = inputs[0]?.[0]?.type.shape?.length;
  const constant = node.axes ?? (rank === undefined ? undefined : [...new Array<undefined>(rank).keys()]);
  const axes: TensorType = { dtype: 'int32', isRef: false, shape: constant && [constant.length], constant };
  const known = { ...node, attrs: { keep_dims: node.keepDims } };
  const typed = typeOp(known, def, [inputs[0] ?? [], [{ reference: `${node.name}/axes`, type: axes }]]);
  const isScalar = node.axes === null && !node.keepDims;
  return isScalar ? { ...typed, outputs: typed.outputs.map((output) => ({ ...output, shape: [] })) } : typed;
}

const trainable = new Set<DType>(['float', 'double', 'half', 'bfloat16']);

/** Gradients exist of these types only. */
function differentiable(node: string, op: string, inputs: readonly TypedInput[] | undefined): readonly Problem[] {
  return (inputs ?? []).flatMap(({ reference: input, type }) =>
    type.dtype === undefined || trainable.has(type.dtype)
      ? []
      : [problem('notAllowed', node, { given: type.dtype, input, op, allowed: [...trainable].join(', ') })],
  );
}

function typeGradients({ name }: GradientsNode, [of, by]: NodeInputs): OpTyping {
  const outputs = (by ?? []).map(({ type: { dtype, shape } }) => ({ dtype, isRef: false, shape }));
  const problems = [...differentiable(name, 'gradients', of), ...differentiable(name, 'gradients', by)];
  return { outputs, outputNames: (by ?? []).map(({ reference }) => reference), problems };
}

function optimizerProblems(
  { name, optimizer, inputs: slots }: OptimizerNode,
  [loss, variables, gradients]: NodeInputs,
): readonly Problem[] {
  const problems = [...differentiable(name, optimizer, loss), ...differentiable(name, optimizer, variables)];
  for (const { reference: input, type } of variables ?? []) {
    if (!type.isRef) problems.push(problem('onlyVariables', name, { input }));
  }
  const [lossSlot, , gradientSlot] = slots;
  const count = Array.isArray(gradientSlot) ? gradientSlot.length : 0;
  if ((lossSlot === null) === (count === 0)) problems.push(problem('lossOrGradients', name));
  const wanted = variables?.length ?? 0;
  if (count > 0 && wanted !== count) problems.push(problem('gradientsByVariable', name, { gradients: count, variables: wanted }));
  for (const [i, gradient] of (gradients ?? []).entries()) {
    const variable = variables?.[i];
    const [given, dtype] = [gradient.type.dtype, variable?.type.dtype];
    if (!variable || !given || !dtype || given === dtype) continue;
    const list = `${variable.reference} is ${dtype}, ${gradient.reference} is ${given}`;
    problems.push(problem('sameType', name, { list }));
  }
  return problems;
}
