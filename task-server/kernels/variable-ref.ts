import type { PartialShape } from '#proto/wire/attr.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { failedPrecondition, invalidArgument, outOfRange } from '#proto/wire/status.ts';
import { shapeText, type Tensor, zeros } from '#proto/wire/tensor.ts';
import type { KernelNode, StatefulKernelSpec, Value } from '../engine/kernel.ts';
import { Variable, VariableRef } from '../engine/variable.ts';
import { sameShape } from './broadcast.ts';
import { partialShapeText } from './shape.ts';
import { resourceName } from './variable-handle.ts';
import { after, incremented, type Sign, shifted } from './variable-update.ts';

const KIND = 'N10tensorflow9LegacyVarE';

/** A variable whose first assignment must fit the shape that its creator declared, where that is known. */
class DeclaredVariable extends Variable {
  readonly declared: readonly number[] | undefined;

  constructor(dtype: DType, declared: PartialShape) {
    super(dtype);
    this.declared = declared;
  }
}

/** Sessions that use one name share the variable, hence the look-up at each run: a Reset may have come in between. */
function variableKernel(op: string): StatefulKernelSpec {
  return {
    kind: 'stateful',
    op,
    create(node, device) {
      const { container, sharedName } = resourceName(node);
      const key = { container, kind: KIND, name: sharedName || node.name };
      const dtype = node.attrs.type('dtype');
      const shape = node.attrs.shape('shape');
      if (shape?.some((size) => size < 0)) throw invalidArgument(`Shape ${partialShapeText(shape)} is not fully defined`);
      let outputs: readonly [VariableRef] | undefined;
      return () => {
        const variable = device.resources.lookupOrCreate(key, () => new DeclaredVariable(dtype, shape));
        if (outputs?.[0].variable !== variable) outputs = [new VariableRef(variable, key.name)];
        return outputs;
      };
    },
  };
}

export function refValue(ref: VariableRef): Tensor {
  const { value } = ref.variable;
  if (!value) throw failedPrecondition(`Attempting to use uninitialized variables: ${ref.name}`);
  return value;
}

const assign: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'Assign',
  create({ attrs }) {
    const validates = attrs.bool('validate_shape');
    return (_, [target, source]) => {
      const ref = target as VariableRef;
      const { variable } = ref;
      const value = source as Tensor;
      const stored = variable.update((current) => {
        const shape = current?.shape ?? (variable instanceof DeclaredVariable ? variable.declared : undefined);
        if (validates && shape && !sameShape(shape, value.shape)) throw shapeMismatch(shape, value.shape);
        return value;
      });
      return after(stored, () => [ref]);
    };
  },
};

function shapeMismatch(left: readonly number[], right: readonly number[]): Error {
  return invalidArgument(`Assign requires shapes of both tensors to match. lhs shape= ${shapeText(left)} rhs shape= ${shapeText(right)}`);
}

function assignSum(op: string, sign: Sign): StatefulKernelSpec {
  return {
    kind: 'stateful',
    op,
    create({ attrs }) {
      return (context, [target, delta]) => {
        const ref = target as VariableRef;
        const value = delta as Tensor;
        const stored = ref.variable.update(() => {
          const current = refValue(ref);
          if (!sameShape(current.shape, value.shape)) throw invalidArgument('Parameters and update must be the same size');
          return shifted(current, value, sign, context, attrs);
        });
        return after(stored, () => [ref]);
      };
    },
  };
}

const isInitialized: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'IsVariableInitialized',
  create: () => (_, inputs) => [flag((inputs[0] as VariableRef).variable.value !== undefined)],
};

export function flag(value: boolean): Tensor<'bool'> {
  return { dtype: 'bool', shape: [], data: Uint8Array.of(value ? 1 : 0) };
}

const countUpTo: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'CountUpTo',
  create({ attrs }) {
    const limit = attrs.bigint('limit');
    return (_, [target]) => {
      const ref = target as VariableRef;
      let before: Tensor | undefined;
      const stored = ref.variable.update(() => {
        before = refValue(ref);
        if (BigInt(before.data[0] as number | bigint) >= limit) throw outOfRange(`Reached limit of ${limit}`);
        return incremented(before);
      });
      return after(stored, () => (before ? [before] : []));
    };
  },
};

/** A variable of one step: whoever holds the reference has it, so no table knows it. */
function temporary({ name, attrs }: KernelNode): VariableRef {
  const dtype = attrs.type('dtype');
  const variable = new Variable(dtype);
  variable.value = zeros(dtype, attrs.shape('shape') ?? []);
  return new VariableRef(variable, attrs.text('var_name') || name);
}

const temporaryVariable: StatefulKernelSpec = { kind: 'stateful', op: 'TemporaryVariable', create: (node) => () => [temporary(node)] };

const destroyTemporaryVariable: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'DestroyTemporaryVariable',
  create: () => (_, inputs: readonly Value[]) => [refValue(inputs[0] as VariableRef)],
};

export const refVariableKernels: readonly StatefulKernelSpec[] = [
  variableKernel('VariableV2'),
  variableKernel('Variable'),
  assign,
  assignSum('AssignAdd', 'AddV2'),
  assignSum('AssignSub', 'Sub'),
  isInitialized,
  countUpTo,
  temporaryVariable,
  destroyTemporaryVariable,
];
