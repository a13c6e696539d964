import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** One node of an ONNX graph with one output. */
export interface OnnxNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly output: string;
  /** Attributes that are lists of integers. */
  readonly ints?: Readonly<Record<string, readonly number[]>>;
}

export interface OnnxGraph {
  /** In the order of execution. The result is the output of the last one. */
  readonly nodes: readonly OnnxNode[];
  readonly inputs: readonly string[];
  /** Element type of all inputs and of the result. */
  readonly elementType: OnnxType;
}

/** Numbers of ONNX's element types. */
export const OnnxType = { float: 1, double: 11 } as const;
export type OnnxType = (typeof OnnxType)[keyof typeof OnnxType];

/** The newest that the oldest runtime we meet reads, and an operator set in which Softmax works on the last axis. */
const IR_VERSION = 8;
const OPERATOR_SET = 17;

/** Value of AttributeProto.type for a list of integers. */
const INTS = 7;

type Fill = (writer: BinaryWriter) => void;

/** The serialized ModelProto of a graph; shapes are left open. Field numbers as in onnx.proto. */
export function onnxModel({ nodes, inputs, elementType }: OnnxGraph): Uint8Array {
  const result = nodes.at(-1)?.output ?? '';
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int64(IR_VERSION);
  message(writer, 7, (graph) => {
    for (const node of nodes) message(graph, 1, (each) => writeNode(each, node));
    graph.tag(2, WireType.LengthDelimited).string('kernel');
    for (const input of inputs) message(graph, 11, (each) => writeValue(each, input, elementType));
    message(graph, 12, (each) => writeValue(each, result, elementType));
  });
  message(writer, 8, (operatorSet) => operatorSet.tag(2, WireType.Varint).int64(OPERATOR_SET));
  return writer.finish();
}

function writeNode(writer: BinaryWriter, { op, inputs, output, ints = {} }: OnnxNode): void {
  for (const input of inputs) writer.tag(1, WireType.LengthDelimited).string(input);
  writer.tag(2, WireType.LengthDelimited).string(output);
  writer.tag(4, WireType.LengthDelimited).string(op);
  for (const [name, values] of Object.entries(ints)) {
    message(writer, 5, (attribute) => {
      attribute.tag(1, WireType.LengthDelimited).string(name);
      for (const value of values) attribute.tag(8, WireType.Varint).int64(value);
      attribute.tag(20, WireType.Varint).int32(INTS);
    });
  }
}

function writeValue(writer: BinaryWriter, name: string, elementType: OnnxType): void {
  writer.tag(1, WireType.LengthDelimited).string(name);
  message(writer, 2, (type) => message(type, 1, (tensor) => tensor.tag(1, WireType.Varint).int32(elementType)));
}

function message(writer: BinaryWriter, field: number, fill: Fill): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  fill(writer);
  writer.join();
}
