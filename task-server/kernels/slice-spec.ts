import type { Attrs } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import { indices } from './numeric-types.ts';

/** A Python-like index expression (`a[1:, ..., None, ::-1, 3]`) applied to a shape. */
export interface StridedSpec {
  /** Per dimension of the input: where the first chosen element is, the distance to the next one, and how many. */
  readonly begin: readonly number[];
  readonly stride: readonly number[];
  readonly size: readonly number[];
  /** Shape of the result: dimensions shrunk away and new ones inserted. */
  readonly shape: readonly number[];
}

interface Masks {
  readonly begin: number;
  readonly end: number;
  readonly ellipsis: number;
  readonly newAxis: number;
  readonly shrink: number;
}

/** What one entry of the expression says about one dimension of the input. */
interface Entry {
  readonly begin: number | undefined;
  readonly end: number | undefined;
  readonly stride: number;
  readonly shrinks: boolean;
}

const everything: Entry = { begin: undefined, end: undefined, stride: 1, shrinks: false };

/** Where the result takes a dimension from: one of the input's, or a new one of size 1. */
type Source = number | 'new';

export function stridedSpec(shape: readonly number[], tensors: readonly Tensor[], attrs: Attrs): StridedSpec {
  const [begin, end, stride] = checkedVectors(tensors);
  const masks: Masks = {
    begin: attrs.int('begin_mask'),
    end: attrs.int('end_mask'),
    ellipsis: attrs.int('ellipsis_mask'),
    newAxis: attrs.int('new_axis_mask'),
    shrink: attrs.int('shrink_axis_mask'),
  };
  const { entries, sources } = expand(shape.length, [begin, end, stride], masks);
  const ranges = entries.map((entry, axis) => range(entry, axis, shape[axis] as number));
  return {
    begin: ranges.map((each) => each.begin),
    stride: ranges.map((each) => each.stride),
    size: ranges.map((each) => each.size),
    shape: sources.flatMap((source) => {
      if (source === 'new') return [1];
      return entries[source]?.shrinks ? [] : [ranges[source]?.size ?? 0];
    }),
  };
}

function checkedVectors(tensors: readonly Tensor[]): [number[], number[], number[]] {
  const shapes = tensors.map(({ shape }) => shape);
  const [begin, end, strides] = shapes.map(shapeText);
  if (shapes.some((shape) => shape.length !== 1 || shape[0] !== shapes[0]?.[0])) {
    throw invalidArgument(
      `Expected begin, end, and strides to be 1D equal size tensors, but got shapes ${begin}, ${end}, and ${strides} instead.`,
    );
  }
  return tensors.map(indices) as [number[], number[], number[]];
}

/** One entry for each dimension of the input: the ellipsis, written or implied at the end, stands for what is left over. */
function expand(rank: number, [begin, end, stride]: [number[], number[], number[]], masks: Masks): { entries: Entry[]; sources: Source[] } {
  const has = (mask: number, index: number) => ((mask >> index) & 1) === 1;
  const count = begin.length;
  if (masks.ellipsis & (masks.ellipsis - 1)) throw invalidArgument('Multiple ellipses in slice spec not allowed');
  const named = begin.filter((_, index) => !has(masks.newAxis | masks.ellipsis, index)).length;
  const entries: Entry[] = [];
  const sources: Source[] = [];
  const add = (entry: Entry): void => {
    if (entries.length === rank) throw invalidArgument(`Index out of range using input dim ${rank}; input has only ${rank} dims`);
    sources.push(entries.length);
    entries.push(entry);
  };
  const addRest = (): void => {
    for (let left = rank - named; left > 0; left--) add(everything);
  };
  for (let index = 0; index < count; index++) {
    if (has(masks.ellipsis, index)) addRest();
    else if (has(masks.newAxis, index)) sources.push('new');
    else {
      add({
        begin: has(masks.begin, index) ? undefined : begin[index],
        end: has(masks.end, index) ? undefined : end[index],
        stride: stride[index] as number,
        shrinks: has(masks.shrink, index),
      });
    }
  }
  if (masks.ellipsis === 0) addRest();
  return { entries, sources };
}

function range({ begin, end, stride, shrinks }: Entry, axis: number, size: number): { begin: number; stride: number; size: number } {
  if (stride === 0) throw invalidArgument(`strides[${axis}] must be non-zero`);
  if (shrinks) {
    if (stride < 0) throw invalidArgument('only stride 1 allowed on non-range indexing.');
    const at = begin === undefined ? 0 : begin < 0 ? begin + size : begin;
    if (at < 0 || at >= size) throw invalidArgument(`slice index ${at} of dimension ${axis} out of bounds.`);
    return { begin: at, stride: 1, size: 1 };
  }
  const [low, high] = stride > 0 ? [0, size] : [-1, size - 1];
  const clamp = (value: number): number => Math.min(Math.max(value < 0 ? value + size : value, low), high);
  const from = begin === undefined ? (stride > 0 ? low : high) : clamp(begin);
  const to = end === undefined ? (stride > 0 ? high : low) : clamp(end);
  return { begin: from, stride, size: Math.max(0, Math.ceil((to - from) / stride)) };
}
