import type { PartialShape } from '#proto/wire/attr.ts';
import { UNKNOWN } from './shape-algebra.ts';
import type { ShapeContext } from './shape-function.ts';

/** One entry of the slice specification: `x[i]`, `x[begin:end:stride]`, an ellipsis or a new axis. */
interface Entry {
  readonly begin: number | undefined;
  readonly end: number | undefined;
  readonly stride: number;
  readonly isIndex: boolean;
}

/** Shape of `x[…]`; only sizes that need begin, end and stride at once are computed from constants. */
export function stridedSlice({ inputs, attrs }: ShapeContext): PartialShape[] {
  const [input, begin, end, strides] = inputs;
  const count = begin?.constant?.length ?? end?.constant?.length ?? begin?.shape?.[0] ?? UNKNOWN;
  if (!input?.shape || count === UNKNOWN || !strides?.constant) return [undefined];
  const masks = {
    begin: attrs.int('begin_mask'),
    end: attrs.int('end_mask'),
    ellipsis: attrs.int('ellipsis_mask'),
    newAxis: attrs.int('new_axis_mask'),
    shrink: attrs.int('shrink_axis_mask'),
  };
  const hasBit = (mask: number, bit: number): boolean => (mask & (1 << bit)) !== 0;
  const dims = [...input.shape];
  const output: number[] = [];
  for (let i = 0; i < count; i++) {
    if (hasBit(masks.ellipsis, i)) {
      output.push(...dims.splice(0, dims.length - consumedAfter(i, count, masks.newAxis)));
    } else if (hasBit(masks.newAxis, i)) {
      output.push(1);
    } else {
      const isIndex = hasBit(masks.shrink, i);
      const dim = dims.shift() ?? UNKNOWN;
      const entry: Entry = {
        begin: hasBit(masks.begin, i) ? undefined : (begin?.constant?.[i] ?? Number.NaN),
        end: hasBit(masks.end, i) ? undefined : (end?.constant?.[i] ?? Number.NaN),
        stride: strides.constant[i] ?? 1,
        isIndex,
      };
      if (!isIndex) output.push(sliceSize(dim, entry));
    }
  }
  return [[...output, ...dims]];
}

function consumedAfter(position: number, count: number, newAxisMask: number): number {
  let consumed = 0;
  for (let i = position + 1; i < count; i++) if ((newAxisMask & (1 << i)) === 0) consumed++;
  return consumed;
}

function sliceSize(dim: number, { begin, end, stride }: Entry): number {
  if (dim === UNKNOWN || stride === 0) return UNKNOWN;
  const forward = stride > 0;
  const clamp = (at: number): number => Math.min(Math.max(at < 0 ? at + dim : at, forward ? 0 : -1), forward ? dim : dim - 1);
  const from = begin === undefined ? (forward ? 0 : dim - 1) : clamp(begin);
  const to = end === undefined ? (forward ? dim : -1) : clamp(end);
  return Number.isNaN(from) || Number.isNaN(to) ? UNKNOWN : Math.max(0, Math.ceil((to - from) / stride));
}
