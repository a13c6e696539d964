import type { Attrs } from '#proto/wire/attr.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { numericTensor, numericType, roundTo } from './numeric-types.ts';
import { isGradient, type Numbers, type TrainingRule, trainingRules } from './training-rules.ts';

/**
 * Internal ops, used by training.ts only: the values of variable and slots and the op's other inputs, in; the new values
 * of variable and slots, out.
 */
function updateKernel(rule: TrainingRule): PureKernelSpec {
  const stateCount = 1 + rule.slots.length;
  return {
    kind: 'pure',
    op: `_Apply${rule.name}`,
    cost: ([variable]) => 5 * stateCount * (variable as Tensor).data.length,
    compute(inputs, attrs) {
      const { dtype } = inputs[0] as Tensor;
      const type = numericType(dtype);
      const state = inputs.slice(0, stateCount).map((tensor) => copied(tensor));
      const rest = inputs.slice(stateCount).map((tensor) => type.widen(tensor) as Numbers);
      const gradientAt = rule.inputs.findIndex(isGradient);
      rule.apply({
        variable: state[0] as Numbers,
        slots: state.slice(1),
        scalars: rest.filter((_, index) => index !== gradientAt).map((values) => values[0] as number),
        gradient: rest[gradientAt] as Numbers,
        round: roundTo(dtype),
        useNesterov: flag(attrs, 'use_nesterov', false),
        updateSlots: flag(attrs, 'update_slots', true),
      });
      return state.map((values, index) => numericTensor(dtype, (inputs[index] as Tensor).shape, values));
    },
  };
}

function copied(tensor: Tensor): Numbers {
  const type = numericType(tensor.dtype);
  const values = type.create(tensor.data.length) as Numbers;
  values.set(type.widen(tensor) as Numbers);
  return values;
}

function flag(attrs: Attrs, name: string, otherwise: boolean): boolean {
  return attrs.has(name) ? attrs.bool(name) : otherwise;
}

export const trainingUpdateKernels: readonly PureKernelSpec[] = trainingRules.map(updateKernel);
