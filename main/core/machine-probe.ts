import type { ProbeProgress, ProbeResult } from '#proto/ipc/contract.ts';
import type { Machines } from '../machines/machines.ts';

export interface MachineProbeEnv {
  readonly machines: Pick<Machines, 'probe'>;
  readonly onProgress: (progress: ProbeProgress) => void;
}

/** The search of the own subnets: one at a time, whichever window has begun it or wants to join in. */
export class MachineProbe {
  readonly #env: MachineProbeEnv;
  #running: Promise<ProbeResult> | undefined;
  #stop = new AbortController();

  constructor(env: MachineProbeEnv) {
    this.#env = env;
  }

  run(): Promise<ProbeResult> {
    this.#running ??= this.#search().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Whoever waits for it gets what was found until now. */
  cancel(): void {
    this.#stop.abort();
  }

  #search(): Promise<ProbeResult> {
    const { machines, onProgress } = this.#env;
    this.#stop = new AbortController();
    return machines.probe({ signal: this.#stop.signal, onProgress });
  }
}
