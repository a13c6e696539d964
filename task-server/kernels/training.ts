import { internal, invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { Device } from '../engine/device.ts';
import type { StatefulKernelSpec, Value } from '../engine/kernel.ts';
import { exclusively, type Variable, type VariableRef } from '../engine/variable.ts';
import { sameShape } from './broadcast.ts';
import { FLOATS } from './numeric-types.ts';
import { isGradient, type TrainingRule, trainingRules } from './training-rules.ts';
import { handleOf, keyOf, VAR } from './variable-handle.ts';
import { refValue } from './variable-ref.ts';
import { after } from './variable-update.ts';

/** How a form of the ops finds its variables and what it puts out. */
interface Form {
  readonly prefix: string;
  variable(value: Value, device: Device): Variable;
  current(value: Value, variable: Variable): Tensor;
  outputs(inputs: readonly Value[]): readonly Value[];
}

const refForm: Form = {
  prefix: '',
  variable: (value) => (value as VariableRef).variable,
  current: (value) => refValue(value as VariableRef),
  outputs: (inputs) => inputs.slice(0, 1),
};

const resourceForm: Form = {
  prefix: 'Resource',
  variable(value, device) {
    const found = device.resources.lookup<Variable>(keyOf(handleOf(value), VAR, device));
    if (!found) throw internal('Invalid variable reference.');
    return found;
  },
  current(_, variable) {
    if (!variable.value) throw internal('Invalid variable reference.');
    return variable.value;
  },
  outputs: () => [],
};

/** Several variables change together: nobody else updates any of them until the new values are there. */
function applyKernel(rule: TrainingRule, form: Form): StatefulKernelSpec {
  const stateCount = 1 + rule.slots.length;
  return {
    kind: 'stateful',
    op: `${form.prefix}Apply${rule.name}`,
    types: { T: FLOATS },
    create({ attrs }) {
      return (context, inputs) => {
        const handles = inputs.slice(0, stateCount);
        const rest = inputs.slice(stateCount) as readonly Tensor[];
        const variables = handles.map((handle) => form.variable(handle, context.device));
        const updated = exclusively(variables, () => {
          const state = variables.map((variable, index) => form.current(handles[index] as Value, variable));
          checkInputs(rule, state, rest);
          return after(context.compute(`_Apply${rule.name}`, [...state, ...rest], attrs), (values) => {
            for (const [index, variable] of variables.entries()) variable.value = values[index];
          });
        });
        return after(updated, () => form.outputs(inputs));
      };
    },
  };
}

function checkInputs(rule: TrainingRule, [variable, ...slots]: readonly Tensor[], rest: readonly Tensor[]): void {
  for (const [index, name] of rule.inputs.entries()) {
    const { shape } = rest[index] as Tensor;
    if (!isGradient(name) && shape.length > 0) throw invalidArgument(`${name} is not a scalar: ${shapeText(shape)}`);
  }
  const gradient = rule.inputs.findIndex(isGradient);
  const named: [string, Tensor][] = slots.map((slot, index) => [rule.slots[index] as string, slot]);
  named.push([rule.inputs[gradient] as string, rest[gradient] as Tensor]);
  const own = (variable as Tensor).shape;
  for (const [name, { shape }] of named) {
    if (!sameShape(own, shape)) throw invalidArgument(`var and ${name} do not have the same shape${shapeText(own)} ${shapeText(shape)}`);
  }
}

export const trainingKernels: readonly StatefulKernelSpec[] = [refForm, resourceForm].flatMap((form) =>
  trainingRules.map((rule) => applyKernel(rule, form)),
);
