import { unimplemented } from '#proto/wire/status.ts';
import { mergePredicate } from '../ops/cond-registry.ts';
import { type GradientContext, type GradientTable, input } from './gradient-function.ts';

export const flowGradients: GradientTable = {
  ReadVariableOp: ({ grad }) => [grad],
  Switch: toMerge,
  RefSwitch: toMerge,
  Merge: toSwitch,
};

/** What entered a branch: of two gradients only that of the branch that was taken is alive. */
function toMerge({ o, node, grads }: GradientContext): ReturnType<GradientTable[string]> {
  const branches = [0, 1].map((branch) => grads[branch] ?? o.zerosLike(node.output(branch)));
  return [node.graph.op('Merge', [branches], {}, { name: 'cond_grad' }).output(), undefined];
}

/** What came out of one of two branches goes back into that one. */
function toSwitch(context: GradientContext): ReturnType<GradientTable[string]> {
  const { node, grad } = context;
  const predicate = mergePredicate(node);
  if (!predicate) throw unimplemented(`No gradient for Merge '${node.name}': only those that \`cond\` made have one`);
  const back = grad.graph.colocateWith(input(context, 0), () => grad.graph.op('Switch', [grad, predicate], {}, { name: 'cond_grad' }));
  return back.outputs;
}
