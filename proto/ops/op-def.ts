import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { DataType } from '#proto/generated/tensorflow/types_pb.ts';

/** A data type as TensorFlow writes it in messages and op signatures: `float`, `int32`, `float8_e5m2`… */
export type TypeName = keyof typeof DataType extends infer K ? (K extends `DT_${infer Name}` ? Lowercase<Name> : never) : never;

/** What one value of an attr is. */
export type ScalarKind = 'string' | 'int' | 'float' | 'bool' | 'type' | 'shape' | 'tensor' | 'func';

/** What an attr holds: one value or a list of them. */
export type AttrKind = ScalarKind | `list(${ScalarKind})`;

/** Attr values of a node by name, as they stand in a NodeDef. Immutable by agreement. */
export type AttrMap = Readonly<Record<string, AttrValue>>;

/**
 * Signature of one op, or of one function of a graph's library. Objects from the registry are shared: never change them.
 */
export interface OpDef {
  readonly name: string;
  /** In the order of a node's data inputs. */
  readonly inputs: readonly ArgDef[];
  /** In the order of a node's output indices. */
  readonly outputs: readonly ArgDef[];
  readonly attrs: readonly AttrDef[];
  /** Has state or side effects, so two equal nodes are not one, and a run must not be left out. */
  readonly isStateful?: boolean;
  /** The two inputs may be swapped. */
  readonly isCommutative?: boolean;
  /** Combines any number of inputs of one type into one output of it, in any grouping. */
  readonly isAggregate?: boolean;
  /** A reference input may point to a variable without a value. */
  readonly allowsUninitializedInput?: boolean;
  /** Talks to other tasks by itself (collectives). */
  readonly isDistributedCommunication?: boolean;
  /** First graph producer version that may no longer use the op. */
  readonly deprecation?: number;
}

/**
 * One input or output: a single tensor, or a run of tensors when `numberAttr` (all of one type) or `typeListAttr` (a type
 * each) is set. The element type is `type`, or what the attr `typeAttr` holds.
 */
export interface ArgDef {
  readonly name: string;
  readonly type?: TypeName;
  readonly typeAttr?: string;
  readonly numberAttr?: string;
  readonly typeListAttr?: string;
  /** Refers to a variable's buffer, so that its consumer may write to it. */
  readonly isRef?: boolean;
}

export interface AttrDef {
  readonly name: string;
  readonly type: AttrKind;
  /** Without one, every node must give a value. */
  readonly default?: AttrValue;
  /** Least value of an `int`, least length of a list. */
  readonly minimum?: number;
  /** Legal values, or elements of a list: texts, or type names when the attr holds types. */
  readonly allowed?: readonly string[];
}
