import type { LabInfo } from '#proto/ipc/contract.ts';
import type { Credentials } from '#proto/trust/credentials.ts';
import type { MachineProof } from '#proto/trust/identity.ts';
import type { Renewal } from '#proto/trust/renewal.ts';
import type { Published } from '#proto/trust/succession.ts';

/** What the lab gives to a machine of its own; PEM texts, none of them secret. */
export interface LabTrust extends LabNews {
  /** Empty: the one that the machine has goes on to count. */
  readonly certificate: string;
}

/** What anybody may know of a lab. */
export interface LabNews extends Published {
  /** Id of the lab. */
  readonly lab: string;
}

export interface LabState {
  /** Undefined as long as the user belongs to no lab. */
  readonly id: string | undefined;
  /** Ids of machines that were members once: all their certificates are revoked. */
  readonly expelled: ReadonlySet<string>;
  /** PEM; empty as long as there is no lab. */
  readonly revocations: string;
  /** See `LabInfo`. */
  readonly problem: string;
}

/** The user's lab, as machines become and stay members of it. Methods reject as those of `Lab` do. */
export interface LabAuthority {
  state(): Promise<LabState>;
  /** Makes the lab at first use, as all that follow. */
  info(): Promise<LabInfo>;
  /** What this user shows to the machines of the lab. PERMISSION_DENIED, with the reason, when they would refuse it. */
  credentials(): Promise<Credentials>;
  /**
   * What a machine tells of its lab, for users who do not own it; false when it is nothing new, or of another lab. Rejects with
   * PERMISSION_DENIED and INVALID_ARGUMENT when the authority that is known has not signed it.
   */
  learn(news: LabNews): Promise<boolean>;
  /**
   * A certificate for a machine that has proved in this way to be who it says. PERMISSION_DENIED when only the owner may do that,
   * ALREADY_EXISTS when the id is another machine's.
   */
  admit(machine: string, request: string, proof: MachineProof): Promise<LabTrust>;
  /** What a member should have by now; `isRenewal`: also another certificate, as its own ends soon or is of an earlier authority. */
  news(machine: string): Promise<{ readonly trust: LabTrust; readonly isRenewal: boolean }>;
  /** What the owner issues upon a guest's request to renew his certificate; rejects with the reason when he does not. */
  answerRenewal(renewal: Renewal): Promise<string>;
  /** A guest's own request; undefined as long as his certificate is good. */
  renewal(): Promise<Renewal | undefined>;
  /** The certificate that the owner has issued upon that. INVALID_ARGUMENT when it is another one. */
  renewed(certificate: string): Promise<void>;
  /** From now on its certificates count no longer wherever the revocation list gets. */
  expel(machine: string): Promise<void>;
}
