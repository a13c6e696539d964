import type { GraphBuilder, OpOptions, Output, TensorInput } from '../graph/node.ts';

export interface CrossEntropyOptions extends OpOptions {
  /** Scores of each class, before the softmax: `[batch, classes]`. */
  readonly logits: TensorInput;
  readonly labels: TensorInput;
}

/** Ops of neural networks. Activations are with the elementwise ops. */
export const nnOps = {
  /** A vector added along the last dimension. */
  biasAdd(graph: GraphBuilder, x: TensorInput, bias: TensorInput, options?: OpOptions): Output {
    return graph.op('BiasAdd', [x, bias], {}, options).output();
  },

  /** Half the sum of the squares; a scalar. */
  l2Loss(graph: GraphBuilder, x: TensorInput, options?: OpOptions): Output {
    return graph.op('L2Loss', [x], {}, options).output();
  },

  /** Cross entropy of each row with a distribution over the classes (`[batch, classes]`); `[batch]`. Labels get no gradient. */
  softmaxCrossEntropyWithLogits(graph: GraphBuilder, { logits, labels, ...options }: CrossEntropyOptions): Output {
    const scores = graph.convert(logits, { name: 'logits' });
    const target = graph.op('StopGradient', [graph.convert(labels, { dtype: scores.dtype, name: 'labels' })]).output();
    return graph.op('SoftmaxCrossEntropyWithLogits', [scores, target], {}, options).output();
  },

  /** The same for labels that are class numbers (`[batch]`, int32 or int64). */
  sparseSoftmaxCrossEntropyWithLogits(graph: GraphBuilder, { logits, labels, ...options }: CrossEntropyOptions): Output {
    return graph.op('SparseSoftmaxCrossEntropyWithLogits', [logits, labels], {}, options).output();
  },

  /** Cross entropy of independent yes/no answers, element by element, in a form that cannot overflow. */
  sigmoidCrossEntropyWithLogits(graph: GraphBuilder, { logits, labels, name = 'logistic_loss' }: CrossEntropyOptions): Output {
    const scores = graph.convert(logits, { name: 'logits' });
    const target = graph.convert(labels, { dtype: scores.dtype, name: 'labels' });
    return graph.nameScope(name, () => {
      const zero = graph.op('ZerosLike', [scores]).output();
      const positive = graph.op('GreaterEqual', [scores, zero]).output();
      const upper = graph.op('SelectV2', [positive, scores, zero]).output();
      const negated = graph.op('SelectV2', [positive, graph.op('Neg', [scores]).output(), scores]).output();
      const linear = graph.op('Sub', [upper, graph.op('Mul', [scores, target]).output()]).output();
      return graph.op('AddV2', [linear, graph.op('Log1p', [graph.op('Exp', [negated]).output()]).output()]).output();
    });
  },
};
