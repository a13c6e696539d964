import type { Output } from '../graph/node.ts';
import { type GradientContext, type GradientFunction, type GradientTable, input } from './gradient-function.ts';

/** An op made for this gradient, of the gradient and the activation's output. */
function ofOutput(type: string): GradientFunction {
  return ({ node, grad }) => [node.graph.op(type, [grad, node.output()]).output()];
}

/** The same of the activation's input. */
function ofInput(type: string): GradientFunction {
  return (context) => [context.node.graph.op(type, [context.grad, input(context, 0)]).output()];
}

export const nnGradients: GradientTable = {
  Relu: ofOutput('ReluGrad'),
  Relu6: ofOutput('Relu6Grad'),
  Elu: ofOutput('EluGrad'),
  Selu: ofOutput('SeluGrad'),
  Softplus: ofInput('SoftplusGrad'),
  Softsign: ofInput('SoftsignGrad'),
  Softmax: ({ o, node, grad }) => {
    const y = node.output();
    return [o.mul(o.sub(grad, o.reduceSum(o.mul(grad, y), -1, { keepDims: true })), y)];
  },
  LogSoftmax: ({ o, node, grad }) => [o.sub(grad, o.mul(o.reduceSum(grad, -1, { keepDims: true }), o.exp(node.output())))],
  BiasAdd: ({ node, grad }) => [grad, node.graph.op('BiasAddGrad', [grad], formatOf(node)).output()],
  L2Loss: (context) => [context.o.mul(input(context, 0), context.grad)],
  SoftmaxCrossEntropyWithLogits: (context) => {
    const { o, grad } = context;
    const labels = o.neg(o.logSoftmax(input(context, 0)));
    return [perRow(context, grad), o.mul(o.expandDims(grad, -1), labels)];
  },
  SparseSoftmaxCrossEntropyWithLogits: (context) => [perRow(context, context.grad), undefined],
};

/** The kernel computes the gradient of the logits along with the loss, as its second output. */
function perRow({ o, node }: GradientContext, grad: Output): Output {
  return o.mul(o.expandDims(grad, -1), node.output(1));
}

function formatOf({ attrs }: GradientContext['node']): Record<string, string> {
  const format = attrs['data_format']?.value;
  return format?.case === 's' ? { data_format: new TextDecoder().decode(format.value) } : {};
}
