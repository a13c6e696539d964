import type {
  ConstantNode,
  DocumentNode,
  GradientsNode,
  OpNode,
  OptimizerNode,
  PlaceholderNode,
  ReduceNode,
  VariableNode,
} from '#proto/graph-document/document.ts';
import { slotsOf } from '#proto/graph-document/slots.ts';
import { elementsOf } from '#proto/graph-document/tensor-value.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import {
  AdamOptimizer,
  GradientDescentOptimizer,
  type Graph,
  type Initializer,
  initializers,
  MomentumOptimizer,
  type Optimizer,
  type Output,
  type Value,
  Variable,
} from '../client/index.ts';
import type { BuiltNode, BuiltNodes } from './document-built-nodes.ts';
import { attrInput, clientValue } from './document-values.ts';

/** A name that is taken as it is, outside of all scopes; the document has reserved it. */
const exactly = (name: string): string => `${name}/`;

/** Makes one node, with what belongs to it. All that it needs is made already. */
export function buildNode(graph: Graph, node: DocumentNode, built: BuiltNodes): BuiltNode {
  switch (node.kind) {
    case 'op':
      return plainNode(graph, node, built);
    case 'constant':
      return ofOutput(constant(graph, node));
    case 'placeholder':
      return ofOutput(placeholder(graph, node));
    case 'variable':
      return ofOutput(variable(graph, node));
    case 'reduce':
      return ofOutput(reduce(graph, node, built));
    case 'gradients':
      return gradients(graph, node, built);
    case 'optimizer':
      return { node: train(graph, node, built), outputs: [] };
  }
}

function ofOutput(output: Output | Variable): BuiltNode {
  return { node: output, outputs: [output] };
}

function plainNode(graph: Graph, node: OpNode, built: BuiltNodes): BuiltNode {
  const def = graph.definition(node.op);
  const inputs = (slotsOf(node) ?? []).map(({ isList }, i) => (isList ? built.all(node.inputs[i]) : built.one(node.inputs[i])));
  const attrs = Object.entries(node.attrs).map(([name, json]) => [name, attrInput(def, name, json)] as const);
  const made = graph.op(node.op, inputs, Object.fromEntries(attrs), { name: exactly(node.name) });
  return { node: made, outputs: made.outputs };
}

function constant(graph: Graph, { name, dtype, shape, value }: ConstantNode): Output {
  return graph.constant(clientValue(value, dtype), { dtype, name: exactly(name), ...(shape && { shape }) });
}

function placeholder(graph: Graph, { name, dtype, shape }: PlaceholderNode): Output {
  return graph.placeholder(dtype, shape ?? undefined, { name: exactly(name) });
}

function variable(graph: Graph, node: VariableNode): Variable {
  const { name, dtype, shape, trainable } = node;
  return graph.variable(exactly(name), initialOf(node), { dtype, trainable, ...(shape && { shape }) });
}

function initialOf({ initial, dtype, shape }: VariableNode): Initializer | Value {
  const seeded = (seed: number | null): { seed?: number } => (seed === null ? {} : { seed });
  switch (initial.initializer) {
    case 'value': {
      const value = clientValue(initial.value, dtype);
      const own = elementsOf(initial.value, dtype).shape;
      return shape && String(own) !== String(shape) ? initializers.constant(value) : value;
    }
    case 'zeros':
      return initializers.zeros();
    case 'ones':
      return initializers.ones();
    case 'normal':
      return initializers.randomNormal({ mean: initial.mean, stddev: initial.stddev, ...seeded(initial.seed) });
    case 'truncatedNormal':
      return initializers.truncatedNormal({ mean: initial.mean, stddev: initial.stddev, ...seeded(initial.seed) });
    case 'uniform':
      return initializers.randomUniform({ min: initial.min, max: initial.max, ...seeded(initial.seed) });
  }
}

const reductions = { Mean: 'reduceMean', Sum: 'reduceSum', Max: 'reduceMax', Min: 'reduceMin', Prod: 'reduceProd' } as const;

function reduce(graph: Graph, { name, op, axes, keepDims, inputs }: ReduceNode, built: BuiltNodes): Output {
  return graph[reductions[op]](built.one(inputs[0]), axes ?? undefined, { keepDims, name: exactly(name) });
}

/** The nodes of the derivatives, joined under the document's name so that others can wait for all of them. */
function gradients(graph: Graph, { name, inputs: [of, by] }: GradientsNode, built: BuiltNodes): BuiltNode {
  const loss = built.one(of);
  const sources = built.all(by);
  const outputs = graph.gradients(loss, sources).map((gradient, i) => {
    if (gradient) return gradient;
    const source = sources[i];
    throw invalidArgument(`'${nameOf(loss)}' does not depend on '${source ? nameOf(source) : ''}'; take it out of 'by'`);
  });
  return { node: graph.group(outputs, { name: exactly(name) }), outputs };
}

function nameOf(tensor: Output | Variable): string {
  return tensor instanceof Variable ? tensor.name : tensor.node.name;
}

function train(graph: Graph, node: OptimizerNode, built: BuiltNodes): BuiltNode['node'] {
  const [loss, variableSlot, gradientSlot] = node.inputs;
  const variables = built.all(variableSlot).filter((each) => each instanceof Variable);
  const optimizer = optimizerOf(node);
  const name = exactly(node.name);
  if (loss !== null) {
    const value = graph.convert(built.one(loss));
    return optimizer.minimize(value, { name, ...(variables.length > 0 && { variables }) });
  }
  const pairs = built.all(gradientSlot).flatMap((gradient, i) => {
    const trained = variables[i];
    return trained ? [{ gradient: graph.convert(gradient), variable: trained }] : [];
  });
  return optimizer.applyGradients(pairs, { name });
}

function optimizerOf({ optimizer, learningRate, momentum }: OptimizerNode): Optimizer {
  if (optimizer === 'Momentum') return new MomentumOptimizer(learningRate, momentum);
  return optimizer === 'Adam' ? new AdamOptimizer({ learningRate }) : new GradientDescentOptimizer(learningRate);
}
