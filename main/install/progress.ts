import type { InstallStage } from '#proto/ipc/contract/machines.ts';

/** What is going on with a machine right now. */
export interface Progress {
  readonly stage: InstallStage;
  /** Of the upload, 0 to 1. */
  readonly fraction?: number;
  readonly message?: string;
}
