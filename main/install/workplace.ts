import type { MachineShell } from './remote/machine-shell.ts';
import type { RemoteSteps } from './remote/steps.ts';

/** A machine, and how it is worked on. */
export interface Workplace {
  readonly shell: Pick<MachineShell, 'name' | 'isLost'>;
  readonly steps: RemoteSteps;
}
