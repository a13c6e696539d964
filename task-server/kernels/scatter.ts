import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { StatefulKernelSpec } from '../engine/kernel.ts';
import type { Variable, VariableRef } from '../engine/variable.ts';
import { sameShape } from './broadcast.ts';
import { NUMBERS } from './numeric-types.ts';
import { resourceOf, VAR } from './variable-handle.ts';
import { refValue } from './variable-ref.ts';
import { initialized } from './variable-resource.ts';
import { after } from './variable-update.ts';

interface ScatterOp {
  readonly name: string;
  /** Default: any type. */
  readonly types?: readonly DType[];
}

const ops: readonly ScatterOp[] = [
  { name: 'Update' },
  ...['Add', 'Sub', 'Mul', 'Div', 'Min', 'Max'].map((name) => ({ name, types: NUMBERS })),
];

const scalarUpdate = (updates: Tensor) => updates.shape.length === 0;

function refScatter({ name, types }: ScatterOp): StatefulKernelSpec {
  return {
    kind: 'stateful',
    op: `Scatter${name}`,
    ...(types ? { types: { T: types } } : {}),
    create({ attrs }) {
      return (context, [target, indices, updates]) => {
        const ref = target as VariableRef;
        const rows = [indices as Tensor, updates as Tensor] as const;
        const stored = ref.variable.update(() => {
          const params = refValue(ref);
          checkRefShapes(params, ...rows);
          return after(context.compute(`_Scatter${name}`, [params, ...rows], attrs), ([result]) => result as Tensor);
        });
        return after(stored, () => [ref]);
      };
    },
  };
}

function checkRefShapes(params: Tensor, indices: Tensor, updates: Tensor): void {
  if (params.shape.length === 0) throw invalidArgument(`params must be at least 1-D, got shape ${shapeText(params.shape)}`);
  if (scalarUpdate(updates) || sameShape(updates.shape, [...indices.shape, ...params.shape.slice(1)])) return;
  throw invalidArgument(
    `Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape ${shapeText(updates.shape)}, ` +
      `indices.shape ${shapeText(indices.shape)}, params.shape ${shapeText(params.shape)}`,
  );
}

function resourceScatter({ name, types }: ScatterOp): StatefulKernelSpec {
  return {
    kind: 'stateful',
    op: `ResourceScatter${name}`,
    ...(types ? { types: { dtype: types } } : {}),
    create({ attrs }) {
      return (context, [target, indices, updates]) => {
        const variable = resourceOf<Variable>(target, VAR, context.device);
        const rows = [indices as Tensor, updates as Tensor] as const;
        const stored = variable.update(() => {
          const params = initialized(variable, target);
          checkResourceShapes(params, ...rows);
          return after(context.compute(`_Scatter${name}`, [params, ...rows], attrs), ([result]) => result as Tensor);
        });
        return after(stored, () => []);
      };
    },
  };
}

function checkResourceShapes(params: Tensor, indices: Tensor, updates: Tensor): void {
  if (params.dtype !== updates.dtype) {
    throw invalidArgument(`DType of scatter resource and updates does not match: ${params.dtype} vs. ${updates.dtype}`);
  }
  if (scalarUpdate(updates)) return;
  const rank = indices.shape.length;
  if (!sameShape(updates.shape.slice(0, rank), indices.shape)) {
    throw invalidArgument(
      `The shape of indices (${shapeText(indices.shape)}) must be a prefix of the shape of updates (${shapeText(updates.shape)})`,
    );
  }
  if (!sameShape(updates.shape.slice(rank), params.shape.slice(1))) {
    throw invalidArgument(
      `shape of updates (${shapeText(updates.shape)}) is not compatible with the combined shape of indices (${shapeText(indices.shape)}) and params (${shapeText(params.shape)})`,
    );
  }
}

export const scatterKernels: readonly StatefulKernelSpec[] = [...ops.map(refScatter), ...ops.map(resourceScatter)];
