import type { DType } from '#proto/wire/dtype.ts';

/**
 * A graph document (`.lanflow.json`): a program that is drawn instead of written. It holds plain ops and a few composite nodes
 * which the client library turns into the nodes that TensorFlow makes for them. Documents are immutable: an edit makes a new
 * one that shares all nodes it does not change. `readDocument` fills in what a file leaves out, so every field is there.
 */
export interface GraphDocument {
  readonly version: typeof DOCUMENT_VERSION;
  readonly title: string;
  /** Tasks per job that are started when the user brings no cluster. */
  readonly cluster: Readonly<Record<string, number>>;
  /** Pretended graphics cards per task. */
  readonly virtualGpus: number;
  /** Seed of the graph; null draws other random numbers in every run. */
  readonly seed: number | null;
  /** In any order; names are unique. */
  readonly nodes: readonly DocumentNode[];
  readonly run: RunDefaults;
}

export const DOCUMENT_VERSION = 1;

/** How a run of the document goes unless its user says otherwise. */
export interface RunDefaults {
  /** Tensors whose value each step gives. */
  readonly fetches: readonly string[];
  /** Nodes that each step runs for their effect. */
  readonly targets: readonly string[];
  /** Values by placeholder or tensor. */
  readonly feeds: Readonly<Record<string, Value>>;
  /** Variables, or other tensors, whose value is plotted. */
  readonly watch: readonly string[];
  /** 0 goes on until it is stopped. */
  readonly steps: number;
  /** Milliseconds between two steps. */
  readonly interval: number;
  /** Every n-th step is traced; 0 traces none. */
  readonly traceEvery: number;
}

export type DocumentNode = OpNode | ConstantNode | PlaceholderNode | VariableNode | ReduceNode | GradientsNode | OptimizerNode;
export type NodeKind = DocumentNode['kind'];

/** A tensor as GraphDef names it: `mul`, or `split:1` for another output than the first. */
export type Reference = string;

/** What is connected to one input argument: a tensor, nothing yet (null), or the tensors of an argument that takes a list. */
export type Slot = Reference | null | readonly Reference[];

interface NodeBase {
  readonly name: string;
  /** One for each input argument, in the order of `slotsOf`. */
  readonly inputs: readonly Slot[];
  /** Names of nodes that run before this one. */
  readonly control: readonly string[];
  /** Device constraint; empty where the master may choose. */
  readonly device: string;
  /** Place on the canvas. */
  readonly x: number;
  readonly y: number;
}

/** One node of the graph, as its op is defined. */
export interface OpNode extends NodeBase {
  readonly kind: 'op';
  readonly op: string;
  /** Those that neither follow from the inputs nor have their default. */
  readonly attrs: Readonly<Record<string, AttrJson>>;
}

export interface ConstantNode extends NodeBase {
  readonly kind: 'constant';
  readonly dtype: DType;
  readonly value: Value;
  /** A single element fills it. Null: the shape of the value. */
  readonly shape: readonly number[] | null;
}

/** A tensor that is fed. */
export interface PlaceholderNode extends NodeBase {
  readonly kind: 'placeholder';
  readonly dtype: DType;
  /** -1: any size. Null: any shape. */
  readonly shape: readonly number[] | null;
}

/** A reference variable of TensorFlow 1.x with its initializer. */
export interface VariableNode extends NodeBase {
  readonly kind: 'variable';
  readonly dtype: DType;
  /** Null: the shape of the initial value. */
  readonly shape: readonly number[] | null;
  readonly initial: Initial;
  /** False keeps it from the optimizers. */
  readonly trainable: boolean;
}

export type Initial =
  | { readonly initializer: 'value'; readonly value: Value }
  | { readonly initializer: 'zeros' | 'ones' }
  | { readonly initializer: 'normal' | 'truncatedNormal'; readonly mean: number; readonly stddev: number; readonly seed: number | null }
  | { readonly initializer: 'uniform'; readonly min: number; readonly max: number; readonly seed: number | null };

/** Mean, sum and so on along axes. Input: `input`. */
export interface ReduceNode extends NodeBase {
  readonly kind: 'reduce';
  readonly op: ReduceOp;
  /** Null: all of them. */
  readonly axes: readonly number[] | null;
  readonly keepDims: boolean;
}

export const reduceOps = ['Mean', 'Sum', 'Max', 'Min', 'Prod'] as const;
export type ReduceOp = (typeof reduceOps)[number];

/** Derivatives of a tensor, one output for each element of `by`. Inputs: `of`, `by` (a list). */
export interface GradientsNode extends NodeBase {
  readonly kind: 'gradients';
}

/**
 * Changes variables so that a loss gets smaller, or by gradients that were made elsewhere. Inputs: `loss`; `variables` (a list; all
 * trainable ones when empty); `gradients` (a list, one for each of the variables, instead of a loss).
 */
export interface OptimizerNode extends NodeBase {
  readonly kind: 'optimizer';
  readonly optimizer: OptimizerKind;
  readonly learningRate: number;
  /** For Momentum only. */
  readonly momentum: number;
}

export const optimizerKinds = ['GradientDescent', 'Momentum', 'Adam'] as const;
export type OptimizerKind = (typeof optimizerKinds)[number];

/**
 * The elements of a tensor: a scalar, or nested lists. Integers of 64 bits beyond 2^53 are texts, and so are `NaN`, `Infinity`
 * and `-Infinity`.
 */
export type Value = number | boolean | string | readonly Value[];

/**
 * Value of an attr: a dtype or the name of a function as a text; a shape as a list, with -1 for any size and null for any rank; a
 * tensor as `{ dtype, value }`; otherwise as `Value`.
 */
export type AttrJson = null | number | boolean | string | readonly AttrJson[] | TensorJson;

export interface TensorJson {
  readonly dtype: DType;
  readonly value: Value;
}

export const defaultRun: RunDefaults = { fetches: [], targets: [], feeds: {}, watch: [], steps: 100, interval: 0, traceEvery: 0 };

/** What a new document of the user's holds. */
export function emptyDocument(title: string): GraphDocument {
  return { version: DOCUMENT_VERSION, title, cluster: { worker: 1 }, virtualGpus: 0, seed: null, nodes: [], run: defaultRun };
}
