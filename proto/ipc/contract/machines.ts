/**
 * Whether tasks can be started there. `lost`: its agent cannot be reached, and everything else is as it was last. `unpaired`: its agent
 * belongs to no lab yet. `other lab`: it belongs to somebody else's. `installable`: it answers SSH, but has no agent.
 */
export type MachineState = 'online' | 'lost' | 'unpaired' | 'other lab' | 'installable';

/** A computer that tasks can run on, now or once its agent is there and trusted. */
export interface MachineInfo {
  /** Of the machine and its user, for ever; of one without an agent `ssh:HOST:PORT`. */
  readonly id: string;
  /** Told from others of the same name: `lab-pc (2)`. */
  readonly name: string;
  readonly isThis: boolean;
  readonly state: MachineState;
  /** Why no task can be started there, with the way out; empty when one can. */
  readonly reason: string;
  /** When it was last heard of: Unix epoch in milliseconds, 0 for never. */
  readonly seenAt: number;
  /** Tasks on it outlive the apps that started them. */
  readonly isInstalled: boolean;
  /** Of its agent and what that runs on. */
  readonly versions: Readonly<Record<string, string>>;
  /** Those to try first are first. */
  readonly addresses: readonly string[];
  /** The subnets that it is on: `192.168.1.0/24`; none when unknown. */
  readonly networks: readonly string[];
  /** Of its agent, or of SSH; 0 when unknown. */
  readonly port: number;
  readonly system: string;
  readonly cores: number;
  /** Bytes. */
  readonly memoryTotal: number;
  readonly memoryFree: number;
  /** Share of all cores in use, 0 to 1. */
  readonly load: number;
  /** Bytes of the disk that Lanflow is on; 0 when unknown. */
  readonly diskTotal: number;
  readonly diskFree: number;
  readonly gpus: readonly string[];
  /** What can run tasks there, and what is missing; nothing is known of one that is not named. */
  readonly engines: readonly EngineInfo[];
  /** Tasks that run on it, whoever has started them. */
  readonly tasks: number;
  /** Its clock is so far ahead of this machine's; milliseconds, 0 when unknown. */
  readonly clockOffset: number;
}

/** An engine on a machine, or why there is none. */
export interface EngineInfo {
  readonly name: 'bundled' | 'tensorflow';
  /** Empty when nothing tells it. */
  readonly version: string;
  /** Where it was found, as its user calls it: `conda: lab`; of the bundled one what it computes with besides: `tfjs-node-gpu 4.22.0`. */
  readonly title: string;
  readonly path: string;
  /** Why it cannot be used, with the way out; empty when it can. */
  readonly problem: string;
}

/** The user's own lab. */
export interface LabInfo {
  readonly id: string;
  /** Of its authority, for people to compare. */
  readonly fingerprint: string;
  /** Whose certificate this app shows. */
  readonly user: string;
  /** Only the owner can take machines in. */
  readonly isOwner: boolean;
  /** Why that certificate is of no use, or soon will be, with the way out; empty when all is well. */
  readonly problem: string;
}

/** How somebody else becomes a user of the lab: with this PIN, at one of these places. */
export interface LabInvitation {
  /** `042 817` */
  readonly pin: string;
  /** `host:port` each, of this machine; one of them is reached from where the other is. */
  readonly places: readonly string[];
  /** Milliseconds. */
  readonly goodFor: number;
}

/** Something in the way of finding machines; empty when nothing is. */
export interface DiscoveryInfo {
  readonly problem: string;
}

/** How far the search of the own subnets has come. */
export interface ProbeProgress {
  /** Addresses. */
  readonly tried: number;
  readonly all: number;
  /** Machines. */
  readonly found: number;
}

export interface ProbeResult {
  readonly tried: number;
  /** More than were tried: somebody has cancelled it. */
  readonly all: number;
  readonly found: readonly MachineInfo[];
}

/** Why a machine is missing. */
export interface MachineDiagnosis {
  /** One of a few, for a picture or a colour; `fine` when nothing is wrong. */
  readonly cause: string;
  /** What is the matter, and the way out. */
  readonly message: string;
}

/** A machine that the user's files name: it can be tried, and installed by SSH. */
export interface KnownMachine {
  readonly name: string;
  readonly address: string;
  /** Of SSH. */
  readonly port: number;
  /** Empty when the file names none. */
  readonly user: string;
  /** `ssh config`, `known_hosts`, `hostfile` */
  readonly source: string;
}

/** How somebody is let in by SSH. What is empty is not tried; agents and keys of `~/.ssh` are, in any case. */
export interface SshLogin {
  /** Empty: as `~/.ssh/config` says, else the name of the user here. */
  readonly user: string;
  readonly password: string;
  /** Path of a private key; empty: those of `~/.ssh`. */
  readonly keyFile: string;
  readonly passphrase: string;
}

export interface SshTarget {
  /** Address or name. */
  readonly host: string;
  readonly port: number;
}

/** `host key`: waits for the user's word on a key that is not known yet. */
export type InstallStage =
  | 'connecting'
  | 'host key'
  | 'probing'
  | 'uploading'
  | 'starting'
  | 'pairing'
  | 'removing'
  | 'done'
  | 'failed'
  | 'cancelled';

/** The work on one machine: of an installation, or of its removal. */
export interface InstallInfo extends SshTarget {
  readonly kind: 'install' | 'uninstall';
  readonly stage: InstallStage;
  /** Of the upload, 0 to 1. */
  readonly fraction: number;
  /** What went wrong, with the way out; what is there now, when it is done. */
  readonly message: string;
  /** SHA256:… of the key that the user is asked about; empty otherwise. */
  readonly hostKey: string;
}
