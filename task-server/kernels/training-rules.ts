import type { Round } from './numeric-types.ts';

/** Arrays of one length; the rule writes the variable and its slots in place (they are copies). */
export type Numbers = Float32Array | Float64Array;

export interface RuleCall {
  readonly variable: Numbers;
  readonly slots: readonly Numbers[];
  /** In the order of the rule's `scalars`. */
  readonly scalars: readonly number[];
  readonly gradient: Numbers;
  /** After every single operation, as the type itself computes. */
  readonly round: Round;
  readonly useNesterov: boolean;
  readonly updateSlots: boolean;
}

/**
 * How one optimizer changes a variable. The op's inputs are: variable, slots, then scalars and gradient in the order of
 * `inputs`. Names are those of TensorFlow's messages.
 */
export interface TrainingRule {
  readonly name: string;
  readonly slots: readonly string[];
  /** Names after variable and slots; `grad` or `delta` is the gradient, all others are scalars. */
  readonly inputs: readonly string[];
  apply(call: RuleCall): void;
}

function gradientDescent({ variable, scalars: [alpha = 0], gradient, round }: RuleCall): void {
  for (let i = 0; i < variable.length; i++) variable[i] = (variable[i] as number) - round(alpha * (gradient[i] as number));
}

function momentum({ variable, slots, scalars: [rate = 0, decay = 0], gradient, round, useNesterov }: RuleCall): void {
  const accum = slots[0] as Numbers;
  for (let i = 0; i < variable.length; i++) {
    const grad = gradient[i] as number;
    const sum = round(round((accum[i] as number) * decay) + grad);
    accum[i] = sum;
    const change = useNesterov ? round(round(grad * rate) + round(round(sum * decay) * rate)) : round(sum * rate);
    variable[i] = (variable[i] as number) - change;
  }
}

function adam({ variable, slots, scalars, gradient, round, useNesterov }: RuleCall): void {
  const [m, v] = slots as readonly [Numbers, Numbers];
  const [power1 = 0, power2 = 0, rate = 0, beta1 = 0, beta2 = 0, epsilon = 0] = scalars;
  const alpha = round(round(rate * round(Math.sqrt(round(1 - power2)))) / round(1 - power1));
  const rest1 = round(1 - beta1);
  const rest2 = round(1 - beta2);
  for (let i = 0; i < variable.length; i++) {
    const grad = gradient[i] as number;
    const mean = round((m[i] as number) + round(round(grad - (m[i] as number)) * rest1));
    const square = round((v[i] as number) + round(round(round(grad * grad) - (v[i] as number)) * rest2));
    m[i] = mean;
    v[i] = square;
    const direction = useNesterov ? round(round(grad * rest1) + round(beta1 * mean)) : mean;
    variable[i] = (variable[i] as number) - round(round(direction * alpha) / round(round(Math.sqrt(square)) + epsilon));
  }
}

function adagrad({ variable, slots, scalars: [rate = 0], gradient, round, updateSlots }: RuleCall): void {
  const accum = slots[0] as Numbers;
  for (let i = 0; i < variable.length; i++) {
    const grad = gradient[i] as number;
    if (updateSlots) accum[i] = round((accum[i] as number) + round(grad * grad));
    const inverse = round(1 / Math.sqrt(accum[i] as number));
    variable[i] = (variable[i] as number) - round(round(grad * rate) * inverse);
  }
}

function adagradV2({ variable, slots, scalars: [rate = 0, epsilon = 0], gradient, round, updateSlots }: RuleCall): void {
  const accum = slots[0] as Numbers;
  for (let i = 0; i < variable.length; i++) {
    const grad = gradient[i] as number;
    if (updateSlots) accum[i] = round((accum[i] as number) + round(grad * grad));
    const root = round(round(Math.sqrt(accum[i] as number)) + epsilon);
    variable[i] = (variable[i] as number) - round(round(grad * rate) / root);
  }
}

function rmsProp({ variable, slots, scalars: [rate = 0, rho = 0, decay = 0, epsilon = 0], gradient, round }: RuleCall): void {
  const [ms, mom] = slots as readonly [Numbers, Numbers];
  const rest = round(1 - rho);
  for (let i = 0; i < variable.length; i++) {
    const grad = gradient[i] as number;
    const square = round((ms[i] as number) + round(round(round(grad * grad) - (ms[i] as number)) * rest));
    ms[i] = square;
    const change = round(round(grad * rate) / round(Math.sqrt(round(square + epsilon))));
    mom[i] = round(round((mom[i] as number) * decay) + change);
    variable[i] = (variable[i] as number) - (mom[i] as number);
  }
}

function centeredRmsProp({ variable, slots, scalars: [rate = 0, rho = 0, decay = 0, epsilon = 0], gradient, round }: RuleCall): void {
  const [mg, ms, mom] = slots as readonly [Numbers, Numbers, Numbers];
  const rest = round(1 - rho);
  for (let i = 0; i < variable.length; i++) {
    const grad = gradient[i] as number;
    const square = round((ms[i] as number) + round(round(round(grad * grad) - (ms[i] as number)) * rest));
    const mean = round((mg[i] as number) + round(round(grad - (mg[i] as number)) * rest));
    ms[i] = square;
    mg[i] = mean;
    const spread = round(round(square - round(mean * mean)) + epsilon);
    const change = round(round(grad * rate) / round(Math.sqrt(spread)));
    mom[i] = round(round((mom[i] as number) * decay) + change);
    variable[i] = (variable[i] as number) - (mom[i] as number);
  }
}

function adadelta({ variable, slots, scalars: [rate = 0, rho = 0, epsilon = 0], gradient, round }: RuleCall): void {
  const [accum, updates] = slots as readonly [Numbers, Numbers];
  const rest = round(1 - rho);
  for (let i = 0; i < variable.length; i++) {
    const grad = gradient[i] as number;
    const square = round(round((accum[i] as number) * rho) + round(round(grad * grad) * rest));
    accum[i] = square;
    const root = round(Math.sqrt(round((updates[i] as number) + epsilon)));
    const inverse = round(1 / Math.sqrt(round(square + epsilon)));
    const change = round(round(root * inverse) * grad);
    variable[i] = (variable[i] as number) - round(change * rate);
    updates[i] = round((updates[i] as number) * rho) + round(round(change * change) * rest);
  }
}

/** `lr ` with its blank is how TensorFlow's own messages have it. */
export const trainingRules: readonly TrainingRule[] = [
  { name: 'GradientDescent', slots: [], inputs: ['alpha', 'delta'], apply: gradientDescent },
  { name: 'Momentum', slots: ['accum'], inputs: ['lr', 'grad', 'momentum'], apply: momentum },
  { name: 'Adam', slots: ['m', 'v'], inputs: ['beta1_power', 'beta2_power', 'lr ', 'beta1', 'beta2', 'epsilon', 'grad'], apply: adam },
  { name: 'Adagrad', slots: ['accum'], inputs: ['lr', 'grad'], apply: adagrad },
  { name: 'AdagradV2', slots: ['accum'], inputs: ['lr', 'epsilon', 'grad'], apply: adagradV2 },
  { name: 'RMSProp', slots: ['ms', 'mom'], inputs: ['lr ', 'rho', 'momentum', 'epsilon', 'grad'], apply: rmsProp },
  { name: 'CenteredRMSProp', slots: ['mg', 'ms', 'mom'], inputs: ['lr ', 'rho', 'momentum', 'epsilon', 'grad'], apply: centeredRmsProp },
  { name: 'Adadelta', slots: ['accum', 'accum_update'], inputs: ['lr', 'rho', 'epsilon', 'grad'], apply: adadelta },
];

export function isGradient(name: string): boolean {
  return name === 'grad' || name === 'delta';
}
