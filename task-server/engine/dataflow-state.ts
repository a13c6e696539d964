import { failedPrecondition } from '#proto/wire/status.ts';
import { makeTensor, type Tensor } from '#proto/wire/tensor.ts';
import { formatInputName } from '#proto/wire/tensor-name.ts';
import { DEAD, type Output, type Value } from './kernel.ts';
import type { DataEdge, Schedule, ScheduledNode } from './schedule.ts';
import { VariableRef } from './variable.ts';

/** `#mergeInput` of a merge that has no live input so far. */
const UNDECIDED = -1;

/** Stands in for a dead input in kernels that run nevertheless. */
const NOTHING: Tensor = makeTensor('float', [0], new Float32Array(0));

/**
 * Which nodes of one execution are ready, which are dead, and the values on the edges between. Knows nothing of kernels.
 *
 * A merge is ready when its control edges have come and either the first live input is there or all inputs are dead; dead
 * control edges do not make it dead. A ControlTrigger is never dead. Any other node waits for all its edges and is dead
 * when one of them is.
 */
export class DataflowState {
  readonly #nodes: readonly ScheduledNode[];
  readonly #pending: Int32Array;
  readonly #slotUses: Int32Array;
  readonly #values: (Value | undefined)[];
  readonly #dead: Uint8Array;
  /** Per merge, its live input. */
  readonly #mergeInput: Int32Array;
  readonly #mergeDeadInputs: Int32Array;
  /** Nodes in the order in which they became ready; those before `#head` have been handed out. */
  readonly #ready: Int32Array;
  #head = 0;
  #tail = 0;
  readonly #now: (() => bigint) | undefined;
  readonly #readyAt: BigInt64Array | undefined;

  /** With a clock, the time when each node became ready is kept. */
  constructor(schedule: Schedule, now?: () => bigint) {
    const count = schedule.nodes.length;
    this.#nodes = schedule.nodes;
    this.#pending = schedule.pending.slice();
    this.#slotUses = schedule.slotUses.slice();
    this.#values = new Array(schedule.slotUses.length);
    this.#dead = new Uint8Array(count);
    this.#mergeInput = new Int32Array(schedule.mergeCount).fill(UNDECIDED);
    this.#mergeDeadInputs = new Int32Array(schedule.mergeCount);
    this.#ready = new Int32Array(count);
    this.#now = now;
    this.#readyAt = now && new BigInt64Array(count);
    for (const root of schedule.roots) this.#enqueue(root);
  }

  /** The next ready node; undefined when there is none for now. */
  next(): ScheduledNode | undefined {
    return this.#head < this.#tail ? this.#nodes[this.#ready[this.#head++] as number] : undefined;
  }

  isDead({ index }: ScheduledNode): boolean {
    return this.#dead[index] === 1;
  }

  readyAt({ index }: ScheduledNode): bigint {
    return this.#readyAt?.[index] ?? 0n;
  }

  /** Values on edges whose consumers have not all started. */
  get heldValues(): number {
    return this.#values.reduce((held: number, value) => (value === undefined ? held : held + 1), 0);
  }

  /**
   * Takes the inputs of a node off their edges. A variable's current value takes the place of a reference that the op does
   * not ask for; FAILED_PRECONDITION when it has none. A merge gets its live input and the number of it.
   */
  takeInputs(scheduled: ScheduledNode): Value[] {
    if (scheduled.merge >= 0) return this.#takeMergeInput(scheduled);
    const { inputSlots } = scheduled;
    const inputs = new Array<Value>(inputSlots.length);
    for (let input = 0; input < inputSlots.length; input++) {
      const value = this.#take(inputSlots[input] as number) ?? NOTHING;
      inputs[input] = value instanceof VariableRef ? dereferenced(value, scheduled, input) : value;
    }
    return inputs;
  }

  /** For a dead node, which does not run. A merge has nothing left to drop: it does so as its inputs come. */
  dropInputs({ merge, inputSlots }: ScheduledNode): void {
    if (merge >= 0) return;
    for (const slot of inputSlots) this.#take(slot);
  }

  /** Hands the outputs of a finished node, or its deadness, to the consumers. */
  propagate({ consumers, firstSlot, controlTargets }: ScheduledNode, outputs: readonly Output[] | typeof DEAD): void {
    for (let output = 0; output < consumers.length; output++) {
      const edges = consumers[output] as readonly DataEdge[];
      if (edges.length === 0) continue;
      const value = outputs === DEAD ? DEAD : (outputs[output] as Output);
      const slot = firstSlot + output;
      if (value !== DEAD) this.#values[slot] = value;
      for (const edge of edges) this.#deliver(edge, slot, value === DEAD);
    }
    for (const target of controlTargets) this.#deliverControl(target, outputs === DEAD);
  }

  #deliver({ target, input }: DataEdge, slot: number, isDead: boolean): void {
    const { merge, isControlTrigger, inputSlots } = this.#nodes[target] as ScheduledNode;
    if (merge < 0) {
      if (isDead && !isControlTrigger) this.#dead[target] = 1;
      this.#countDown(target);
      return;
    }
    const isDecided = this.#mergeInput[merge] !== UNDECIDED;
    if (!isDead && !isDecided) {
      this.#mergeInput[merge] = input;
      this.#countDown(target);
      return;
    }
    this.#take(slot);
    if (!isDead) return;
    const deadInputs = (this.#mergeDeadInputs[merge] as number) + 1;
    this.#mergeDeadInputs[merge] = deadInputs;
    if (deadInputs < inputSlots.length) return;
    this.#dead[target] = 1;
    this.#countDown(target);
  }

  #deliverControl(target: number, isDead: boolean): void {
    const { merge, isControlTrigger } = this.#nodes[target] as ScheduledNode;
    if (isDead && merge < 0 && !isControlTrigger) this.#dead[target] = 1;
    this.#countDown(target);
  }

  #countDown(target: number): void {
    const left = (this.#pending[target] as number) - 1;
    this.#pending[target] = left;
    if (left === 0) this.#enqueue(target);
  }

  #enqueue(index: number): void {
    this.#ready[this.#tail++] = index;
    if (this.#readyAt && this.#now) this.#readyAt[index] = this.#now();
  }

  #takeMergeInput(scheduled: ScheduledNode): Value[] {
    const input = this.#mergeInput[scheduled.merge] as number;
    const value = this.#take(scheduled.inputSlots[input] as number) ?? NOTHING;
    const number = makeTensor('int32', [], Int32Array.of(input));
    return [value instanceof VariableRef ? dereferenced(value, scheduled, input) : value, number];
  }

  /** The last consumer takes the value away, so that memory does not pile up over a step. */
  #take(slot: number): Value | undefined {
    const value = this.#values[slot];
    const uses = (this.#slotUses[slot] as number) - 1;
    this.#slotUses[slot] = uses;
    if (uses === 0) this.#values[slot] = undefined;
    return value;
  }
}

function dereferenced(ref: VariableRef, { node }: ScheduledNode, input: number): Value {
  const value = ref.variable.value;
  const wantsRef = node.inputTypes[input]?.isRef === true;
  if (value === undefined && !(wantsRef && node.def.allowsUninitializedInput)) {
    const source = node.inputs[input];
    const text = source ? formatInputName({ node: source.node.name, output: source.output }) : ref.name;
    throw failedPrecondition(`Attempting to use uninitialized value ${text}`);
  }
  return wantsRef || value === undefined ? ref : value;
}
