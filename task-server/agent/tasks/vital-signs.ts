import { type Beat, watchHeartbeat } from './heartbeat.ts';
import { processMemory } from './process-memory.ts';
import { StepRate } from './step-rate.ts';

export interface VitalSignsListener {
  onAnswer(beat: Beat): void;
  onSilence(reason: string): void;
}

/** What is heard of a process that listens, until it is closed. */
export class VitalSigns {
  readonly #pid: number;
  readonly #listener: VitalSignsListener;
  readonly #over = new AbortController();
  readonly #steps = new StepRate();
  #memory = 0;

  constructor(pid: number, address: string, listener: VitalSignsListener) {
    this.#pid = pid;
    this.#listener = listener;
    const onAnswer = (beat: Beat): void => this.#hear(beat);
    void watchHeartbeat(address, { onAnswer, onSilence: (reason) => listener.onSilence(reason) }, this.#over.signal);
  }

  /** Resident bytes; 0 when unknown. */
  get memory(): number {
    return this.#memory;
  }

  /** -1 when unknown. */
  get stepsPerSecond(): number {
    return this.#steps.perSecond;
  }

  close(): void {
    this.#over.abort();
  }

  #hear(beat: Beat): void {
    if (beat.steps !== undefined) this.#steps.add(beat.steps, performance.now());
    this.#listener.onAnswer(beat);
    void processMemory(this.#pid).then((bytes) => {
      this.#memory = bytes;
    });
  }
}
