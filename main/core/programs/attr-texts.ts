import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { TensorProto } from '#proto/generated/tensorflow/tensor_pb.ts';
import { type caseOfKind, kindOfCase, listElementKind, listElements, typeName } from '#proto/ops/attr-kind.ts';
import type { ScalarKind } from '#proto/ops/op-def.ts';
import { partialShapeText } from '#proto/ops/shape-inference.ts';
import { partialShape } from '#proto/wire/attr.ts';
import { dtypeFromNumber } from '#proto/wire/dtype.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import { fromTensorProto } from '#proto/wire/tensor-codec.ts';

const MOST_ELEMENTS = 6;
const MOST_CHARACTERS = 200;

/** The value of an attr in a few words: `float`, `[2,?]`, `"text"`, `int32[2] 3 4`, `[1, 2]`. */
export function attrText({ value }: AttrValue): string {
  if (value.case === undefined) return '';
  if (value.case === 'placeholder') return `$${value.value}`;
  if (value.case !== 'list') return cut(texts[kindOfCase(value.case)](value.value));
  const kind = listElementKind(value.value);
  const elements = listElements(value.value);
  const shown = kind === undefined ? [] : elements.slice(0, MOST_ELEMENTS).map((element) => cut(texts[kind](element)));
  return `[${[...shown, ...(elements.length > shown.length ? ['…'] : [])].join(', ')}]`;
}

type ValueOf<K extends ScalarKind> = Extract<AttrValue['value'], { case: (typeof caseOfKind)[K] }>['value'];

const byKind: { readonly [K in ScalarKind]: (value: ValueOf<K>) => string } = {
  string: (bytes) => JSON.stringify(new TextDecoder().decode(bytes)),
  int: String,
  float: floatText,
  bool: String,
  type: typeName,
  shape: (shape) => partialShapeText(partialShape(shape)),
  tensor: tensorText,
  func: ({ name }) => name,
};
// Each entry is only given values of its own kind.
const texts = byKind as { readonly [K in ScalarKind]: (value: unknown) => string };

function tensorText(proto: TensorProto): string {
  const type = typeName(proto.dtype);
  const shape = proto.tensorShape ? partialShapeText(partialShape(proto.tensorShape)) : '[]';
  if (dtypeFromNumber(proto.dtype) === undefined) return `${type}${shape}`;
  const tensor = fromTensorProto(proto);
  const elements = Array.from({ length: Math.min(tensor.data.length, MOST_ELEMENTS) }, (_, i) => elementText(tensor, i));
  return [`${type}${shape}`, ...elements, ...(tensor.data.length > MOST_ELEMENTS ? ['…'] : [])].join(' ');
}

function elementText({ dtype, data }: Tensor, index: number): string {
  const element: unknown = data[index];
  if (dtype === 'float' || dtype === 'double') return floatText(Number(element));
  if (dtype === 'bool') return String(element === 1);
  if (element instanceof Uint8Array) return cut(JSON.stringify(new TextDecoder().decode(element)));
  return typeof element === 'object' ? '…' : String(element);
}

/** The digits that matter of a 32-bit float. */
function floatText(value: number): string {
  return String(Number(value.toPrecision(7)));
}

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
