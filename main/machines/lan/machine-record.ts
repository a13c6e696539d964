/** A machine of the lab, as it is remembered while it is not there. */
export interface MachineRecord {
  readonly id: string;
  readonly name: string;
  /** As last heard of. */
  readonly addresses: readonly string[];
  /** Of its agent. */
  readonly port: number;
}

/** What outlives the process. */
export interface MachineMemory {
  read(): Promise<readonly MachineRecord[]>;
  update(change: (all: readonly MachineRecord[]) => readonly MachineRecord[]): Promise<unknown>;
}
