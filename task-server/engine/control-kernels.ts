import { invalidArgument } from '#proto/wire/status.ts';
import { isTensorOf, shapeText } from '#proto/wire/tensor.ts';
import { DEAD, type KernelSpec, type StatefulCompute, type Value } from './kernel.ts';
import { VariableRef } from './variable.ts';

/** Ops whose meaning lies in when and whether they run; the executor knows the merges and the ControlTrigger by name. */
export const controlKernels: readonly KernelSpec[] = [
  controlKernel('NoOp', () => []),
  controlKernel('ControlTrigger', () => []),
  controlKernel('Switch', (_, [data, predicate]) => chooseBranch(data, predicate)),
  controlKernel('RefSwitch', (_, [data, predicate]) => chooseBranch(data, predicate)),
  controlKernel('Merge', passOn),
  controlKernel('RefMerge', passOn),
];

function controlKernel(op: string, compute: StatefulCompute): KernelSpec {
  return { kind: 'stateful', op, create: () => compute };
}

/** Output 1 when the predicate holds, else output 0. */
function chooseBranch(data: Value | undefined, predicate: Value | undefined): [Value | typeof DEAD, Value | typeof DEAD] {
  if (!data || !predicate || predicate instanceof VariableRef || !isTensorOf(predicate, 'bool') || predicate.data.length !== 1) {
    const shape = predicate && !(predicate instanceof VariableRef) ? shapeText(predicate.shape) : '<unknown>';
    throw invalidArgument(`The second input must be a scalar, but it has shape ${shape}`);
  }
  return predicate.data[0] ? [DEAD, data] : [data, DEAD];
}

/** The executor hands over the input that came first, and its number: just the outputs of a merge. */
function passOn(_: unknown, inputs: readonly Value[]): readonly Value[] {
  return inputs;
}
