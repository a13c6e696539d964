import type { LabInfo } from '#proto/ipc/contract.ts';
import type { Credentials } from '#proto/trust/credentials.ts';
import type { MachineProof } from '#proto/trust/identity.ts';

/** What the lab gives to a machine of its own; PEM texts, none of them secret. */
export interface LabTrust {
  /** Id of the lab. */
  readonly lab: string;
  /** Empty: the one that the machine has goes on to count. */
  readonly certificate: string;
  readonly authority: string;
  readonly revocations: string;
}

export interface LabState {
  /** Undefined as long as the user belongs to no lab. */
  readonly id: string | undefined;
  /** Ids of machines that were members once: all their certificates are revoked. */
  readonly expelled: ReadonlySet<string>;
  /** PEM; empty as long as there is no lab. */
  readonly revocations: string;
}

/** The user's lab, as machines become and stay members of it. Methods reject as those of `Lab` do. */
export interface LabAuthority {
  state(): Promise<LabState>;
  /** Makes the lab at first use, as all that follow. */
  info(): Promise<LabInfo>;
  /** What this user shows to the machines of the lab. */
  credentials(): Promise<Credentials>;
  /**
   * A certificate for a machine that has proved in this way to be who it says. PERMISSION_DENIED when only the owner may do that,
   * ALREADY_EXISTS when the id is another machine's.
   */
  admit(machine: string, request: string, proof: MachineProof): Promise<LabTrust>;
  /** What a member should have by now; `isRenewal`: also another certificate, as its own ends soon or is of an earlier authority. */
  news(machine: string): Promise<{ readonly trust: LabTrust; readonly isRenewal: boolean }>;
  /** From now on its certificates count no longer wherever the revocation list gets. */
  expel(machine: string): Promise<void>;
}
