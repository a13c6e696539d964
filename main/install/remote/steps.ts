import type { Bundle } from '../bundle/bundle.ts';
import type { Component } from '../component/component.ts';
import type { Probe } from './probe.ts';

/**
 * How the agent runs. `systemd`, `scheduled task`: a service that starts with the machine; `launchd`, `logon task`: one that starts when
 * its user logs in; `detached`: a process that ends with the machine.
 */
export type ServiceKind = 'systemd' | 'launchd' | 'scheduled task' | 'logon task' | 'detached';

/** What a machine asks the lab for; its key stays there. */
export interface CertificateRequest {
  readonly machine: string;
  /** PKCS#10, PEM. */
  readonly request: string;
}

/** What makes a machine one of a lab; PEM texts. Nothing in it is secret. */
export interface Trust {
  readonly lab: string;
  readonly certificate: string;
  readonly authority: string;
  readonly handovers: string;
  readonly revocations: string;
}

/** Lets the lab sign the request. */
export type Enroll = (request: CertificateRequest) => Promise<Trust>;

/** That this installer alone works on the machine. */
export interface RemoteLock {
  /** Aborts, with UNAVAILABLE, when it is taken away because this installer was silent for a minute. */
  readonly lost: AbortSignal;
  /** Resolves when it is given back. */
  release(): Promise<void>;
}

export interface Removed {
  /** Id by which the lab knew the machine; empty when it had none. */
  readonly machine: string;
  /** Files of the user's own Lanflow on that machine are there still. */
  readonly hasOthers: boolean;
}

export interface StepOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface BringOptions {
  readonly signal: AbortSignal;
  /** Version whose Node will load it. */
  readonly version: string;
  readonly onFraction: (fraction: number) => void;
}

/** What an installation does with components: libraries that tasks find there, if they are there. */
export interface ComponentSteps {
  /** Whether this one is there as a whole. */
  has(component: Component, signal: AbortSignal): Promise<boolean>;
  /**
   * Brings it there, as a whole or not at all; it is not in use yet. FAILED_PRECONDITION, with the machine's own words, when it does not load
   * there, as where a library of CUDA is missing.
   */
  bring(component: Component, options: BringOptions): Promise<void>;
  /** From now on tasks find this one when they start. */
  use(component: Component): Promise<void>;
  /** The one in use; empty when there is none. */
  current(signal: AbortSignal): Promise<string>;
  /** Takes away what is neither in use nor to be kept: tasks that run may still read the one before. */
  removeOthers(kept?: string): Promise<void>;
}

/**
 * What an installation does on a machine, in the way of the system there. Each step may be done again, and rejects with a StatusError that
 * names the machine and the way out: UNAVAILABLE when the connection breaks off, RESOURCE_EXHAUSTED when the disk is full,
 * DEADLINE_EXCEEDED when it takes too long; or with the signal's reason. Only `takeLock` and what comes after it writes.
 */
export interface RemoteSteps {
  probe(signal: AbortSignal): Promise<Probe>;
  /** Waits for others to finish; `onWait` is called when it has to. */
  takeLock(options: { signal: AbortSignal; onWait: () => void }): Promise<RemoteLock>;
  /** Whether this version is there as a whole. */
  isThere(bundle: Bundle, signal: AbortSignal): Promise<boolean>;
  /** Brings the bundle there. What an earlier upload has left is taken up. It is checked; a damaged one is sent once more, as a whole. */
  upload(bundle: Bundle, options: { signal: AbortSignal; onFraction: (fraction: number) => void }): Promise<void>;
  /** Makes a version of an uploaded bundle: it is there as a whole or not at all. FAILED_PRECONDITION when its Node does not run there. */
  unpack(bundle: Bundle, signal: AbortSignal): Promise<void>;
  /** Notes the trust that is there, so that `putTrustBack` can bring it back. What an attempt that broke off had noted counts still. */
  noteTrust(options: StepOptions): Promise<void>;
  /** Makes the machine one of the lab, by the agent program of a version. FAILED_PRECONDITION when that refuses, with its words. */
  pair(id: string, options: StepOptions & { enroll: Enroll }): Promise<void>;
  /** The machine belongs to the lab again, or to none, that it belonged to when it was noted; without a note nothing changes. */
  putTrustBack(): Promise<void>;
  /** Ends what `noteTrust` has begun: the trust that is there now counts. */
  forgetEarlierTrust(): Promise<void>;
  /** From now on this version is the one in use. */
  use(id: string): Promise<void>;
  /**
   * Starts the agent of the version in use and waits until it listens, in 20 s at most. It goes on without this connection. UNAVAILABLE
   * with the agent's last words when it does not come up; then it may be on its way still, so it is to be stopped.
   */
  startAgent(found: Probe, options: StepOptions): Promise<ServiceKind>;
  /** How the agent runs right now; undefined when it does not. */
  runningAs(): Promise<ServiceKind | undefined>;
  /** Ends the agent and its tasks: orderly within ten seconds where the system has a way, then at once. It stays installed. */
  stopAgent(): Promise<void>;
  /** Ends the agent alone; the next one has its tasks, where the system lets them go on. */
  stopAgentOnly(): Promise<void>;
  /** Takes away what is of no version that is to be kept: other versions, and pieces of work that was broken off. */
  removeOthers(kept: readonly string[]): Promise<void>;
  /**
   * Ends the agent and its tasks and takes away all that an installation has brought and its agent has written. What the user has had
   * there before stays, and files of the user's own Lanflow in the same folder, and with them the machine's id, which they share.
   */
  removeAll(): Promise<Removed>;
  /** Undefined where components are of no use. */
  readonly components?: ComponentSteps | undefined;
}
