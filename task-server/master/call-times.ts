import { create } from '@bufbuild/protobuf';
import { type StepCalls, StepCalls_CallSchema, StepCallsSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { epochNanos } from '../engine/epoch-clock.ts';

/** When a master called the other tasks for one step and when they answered, by its clock. */
export class CallTimes {
  readonly #stepCalls: StepCalls;

  constructor(master: string) {
    this.#stepCalls = create(StepCallsSchema, { master });
  }

  /** A call is about to be sent; the returned function is to be called when the answer is there. */
  begin(task: string): () => void {
    const sentMicros = epochMicros();
    return () => {
      this.#stepCalls.calls.push(create(StepCalls_CallSchema, { task, sentMicros, answeredMicros: epochMicros() }));
    };
  }

  /** Undefined when no other task has answered. */
  stepCalls(): StepCalls | undefined {
    return this.#stepCalls.calls.length > 0 ? this.#stepCalls : undefined;
  }
}

function epochMicros(): bigint {
  return epochNanos() / 1000n;
}
