import { create } from '@bufbuild/protobuf';
import { type AttrValue, AttrValueSchema, type NameAttrList } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { TensorShapeProto } from '#proto/generated/tensorflow/tensor_shape_pb.ts';
import { type DType, dtypeFromNumber, dtypeNumber } from './dtype.ts';
import { invalidArgument, type StatusError } from './status.ts';
import type { Tensor } from './tensor.ts';
import { allocate } from './tensor.ts';
import { type Allocate, fromTensorProto } from './tensor-codec.ts';

/** A shape known in part: -1 for an unknown dimension; undefined when not even the rank is known. */
export type PartialShape = readonly number[] | undefined;

type Kind = NonNullable<AttrValue['value']['case']>;
type ValueOf<K extends Kind> = Extract<AttrValue['value'], { case: K }>['value'];

/**
 * Typed access to the attrs of one node. A missing attr or one of another kind is INVALID_ARGUMENT and names node and attr.
 * Op defaults are expected to be filled in already (`withDefaults` in `proto/ops`).
 */
export class Attrs {
  readonly values: Readonly<Record<string, AttrValue>>;
  /** Name of the node, for messages. */
  readonly node: string;

  constructor(values: Readonly<Record<string, AttrValue>>, node: string) {
    this.values = values;
    this.node = node;
  }

  has(name: string): boolean {
    return this.values[name]?.value.case !== undefined;
  }

  /** A 64-bit attr as a number; safe for counts and sizes, not for ids (use `bigint`). */
  int(name: string): number {
    return Number(this.#get(name, 'i'));
  }

  bigint(name: string): bigint {
    return this.#get(name, 'i');
  }

  float(name: string): number {
    return this.#get(name, 'f');
  }

  bool(name: string): boolean {
    return this.#get(name, 'b');
  }

  bytes(name: string): Uint8Array {
    return this.#get(name, 's');
  }

  text(name: string): string {
    return new TextDecoder().decode(this.#get(name, 's'));
  }

  /** The base type; whether the attr named a reference type is not told. */
  type(name: string): DType {
    return this.#dtype(name, this.#get(name, 'type'));
  }

  shape(name: string): PartialShape {
    return partialShape(this.#get(name, 'shape'));
  }

  /** The tensor of a Const and the like. The elements are decoded anew at every call. */
  tensor(name: string, memory: Allocate = allocate): Tensor {
    return fromTensorProto(this.#get(name, 'tensor'), memory);
  }

  func(name: string): NameAttrList {
    return this.#get(name, 'func');
  }

  types(name: string): DType[] {
    return this.#get(name, 'list').type.map((value) => this.#dtype(name, value));
  }

  ints(name: string): number[] {
    return this.#get(name, 'list').i.map(Number);
  }

  floats(name: string): number[] {
    return [...this.#get(name, 'list').f];
  }

  texts(name: string): string[] {
    return this.#get(name, 'list').s.map((bytes) => new TextDecoder().decode(bytes));
  }

  shapes(name: string): PartialShape[] {
    return this.#get(name, 'list').shape.map(partialShape);
  }

  /** These attrs and some more: what another op needs that names the same things differently. */
  with(values: Readonly<Record<string, AttrValue>>): Attrs {
    return new Attrs({ ...this.values, ...values }, this.node);
  }

  withTypes(types: Readonly<Record<string, DType>>): Attrs {
    const entries = Object.entries(types).map(([name, dtype]) => {
      return [name, create(AttrValueSchema, { value: { case: 'type', value: dtypeNumber(dtype) } })] as const;
    });
    return this.with(Object.fromEntries(entries));
  }

  #get<K extends Kind>(name: string, kind: K): ValueOf<K> {
    const value = this.values[name]?.value;
    if (value?.case === kind) return value.value as ValueOf<K>;
    throw this.#bad(name, value?.case === undefined ? 'is missing' : `is of kind '${value.case}', not '${kind}'`);
  }

  #dtype(name: string, number: number): DType {
    const dtype = dtypeFromNumber(number);
    if (dtype === undefined) throw this.#bad(name, `names data type ${number}, which is not supported`);
    return dtype;
  }

  #bad(name: string, why: string): StatusError {
    return invalidArgument(`Attr '${name}' of node '${this.node}' ${why}`);
  }
}

export function partialShape(proto: TensorShapeProto): PartialShape {
  return proto.unknownRank ? undefined : proto.dim.map((dim) => Number(dim.size));
}
