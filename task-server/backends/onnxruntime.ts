import { type DataByType, isTensorOf, type Tensor, zeros } from '#proto/wire/tensor.ts';
import type { AcceleratedKernel, BackendOptions, BackendSpec } from './accelerated.ts';
import { type MatMul, matMulOps, readMatMul } from './mat-mul.ts';
import { type OnnxGraph, type OnnxNode, OnnxType, onnxModel } from './onnx-model.ts';

type Ort = typeof import('onnxruntime-node');
type FloatType = 'float' | 'double';
type FloatData = DataByType[FloatType];

const ortTypes = { float: 'float32', double: 'float64' } as const;

/** onnxruntime on the CPU. Its unit of work is a model, so each kernel is a model of one or two nodes, made in memory. */
export const onnxruntime: BackendSpec<OnnxRuntime> = {
  name: 'onnxruntime',
  package: 'onnxruntime-node',
  kernels: [...matMulOps.map(matMulKernel), ...['Exp', 'Log', 'Tanh', 'Erf', 'Softmax', 'LogSoftmax'].map(unaryKernel)],
  open: async (options) => new OnnxRuntime(await import('onnxruntime-node'), options),
};

function matMulKernel(op: string): AcceleratedKernel<OnnxRuntime> {
  return {
    op,
    accepts: (inputs, attrs) => floatType(inputs) !== undefined && readMatMul(op, inputs, attrs) !== undefined,
    compute: async (runtime, inputs, attrs) => {
      const matMul = readMatMul(op, inputs, attrs) as MatMul;
      const [a, b] = inputs as [Tensor, Tensor];
      const graph = matMulGraph(matMul, [a.shape.length, b.shape.length], OnnxType[floatType(inputs) as FloatType]);
      return [await runtime.run(graph, inputs, matMul.shape)];
    },
  };
}

/** onnxruntime fuses the transpositions into the product where it can. */
function matMulGraph({ transposeA, transposeB }: MatMul, [rankA, rankB]: readonly [number, number], elementType: OnnxType): OnnxGraph {
  const nodes: OnnxNode[] = [];
  if (transposeA) nodes.push(transpose('in0', 'a', rankA));
  if (transposeB) nodes.push(transpose('in1', 'b', rankB));
  nodes.push({ op: 'MatMul', inputs: [transposeA ? 'a' : 'in0', transposeB ? 'b' : 'in1'], output: 'out' });
  return { nodes, inputs: ['in0', 'in1'], elementType };
}

function transpose(input: string, output: string, rank: number): OnnxNode {
  const perm = Array.from({ length: rank }, (_, axis) => axis);
  perm.push(...perm.splice(-2).reverse());
  return { op: 'Transpose', inputs: [input], output, ints: { perm } };
}

/** Ops that have the same name and meaning in ONNX. */
function unaryKernel(op: string): AcceleratedKernel<OnnxRuntime> {
  const graph: OnnxGraph = { nodes: [{ op, inputs: ['in0'], output: 'out' }], inputs: ['in0'], elementType: OnnxType.float };
  return {
    op,
    accepts: ([x]) => x !== undefined && isTensorOf(x, 'float') && x.data.length > 0 && x.shape.length > 0,
    compute: async (runtime, inputs) => [await runtime.run(graph, inputs, inputs[0]?.shape ?? [])],
  };
}

/** The type of all inputs if it is one that onnxruntime multiplies fast. */
function floatType([first, ...others]: readonly Tensor[]): FloatType | undefined {
  const dtype = first?.dtype;
  if (dtype !== 'float' && dtype !== 'double') return undefined;
  return others.every((other) => other.dtype === dtype) ? dtype : undefined;
}

class OnnxRuntime {
  readonly #ort: Ort;
  readonly #cores: number;
  readonly #sessions = new Map<string, ReturnType<Ort['InferenceSession']['create']>>();

  constructor(ort: Ort, { cores }: BackendOptions) {
    this.#ort = ort;
    this.#cores = cores;
  }

  async run(graph: OnnxGraph, inputs: readonly Tensor[], shape: readonly number[]): Promise<Tensor> {
    const session = await this.#session(graph);
    const output = zeros(floatType(inputs) as FloatType, shape);
    // The library writes to memory of its own kind only; shared memory is filled from there.
    const target = isShared(output.data) ? plain(output.data, output.data.length) : output.data;
    const feeds = Object.fromEntries(inputs.map((input, i) => [`in${i}`, this.#value(input as Tensor<FloatType>)]));
    await session.run(feeds, { out: this.#value({ ...output, data: target }) });
    if (target !== output.data) output.data.set(target);
    return output;
  }

  #value({ dtype, shape, data }: Tensor<FloatType>): InstanceType<Ort['Tensor']> {
    return new this.#ort.Tensor(ortTypes[dtype], (isShared(data) ? plain(data, data) : data) as Float32Array, shape);
  }

  #session(graph: OnnxGraph): ReturnType<Ort['InferenceSession']['create']> {
    const signature = JSON.stringify(graph);
    const known = this.#sessions.get(signature);
    if (known) return known;
    const session = this.#ort.InferenceSession.create(onnxModel(graph), {
      intraOpNumThreads: this.#cores,
      enableCpuMemArena: false,
      // Spinning threads would take the cores from the thread that serves the network.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    });
    this.#sessions.set(signature, session);
    return session;
  }
}

function isShared({ buffer }: FloatData): boolean {
  return buffer instanceof SharedArrayBuffer;
}

/** An array like `model` in memory that is not shared: empty of a given length, or a copy. */
function plain<D extends FloatData>(model: D, content: number | D): D {
  const make = model.constructor as { new (content: number | D): D };
  return new make(content);
}
