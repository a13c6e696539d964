import type { TcpOutcome } from '#proto/discovery/connect-tcp.ts';
import type { MulticastProblem } from '#proto/discovery/multicast-links.ts';

/** What an agent says of itself when it is asked directly. */
export interface AgentHello {
  readonly version: string;
  /** The lab that it belongs to; empty: none yet. */
  readonly lab: string;
  /** How far its clock is ahead of ours, in milliseconds. */
  readonly clockOffset: number;
}

/** All that is found out about a machine that is missing. What could not be asked because of what was found before is undefined. */
export interface Facts {
  /** Name or address as the user gave it. */
  readonly target: string;
  readonly network: MulticastProblem;
  /** Its addresses; none: nobody knows the name. */
  readonly addresses: readonly string[];
  /** The one that was tried. */
  readonly address?: string;
  readonly port: number;
  /** Its announcement is heard. */
  readonly isAnnounced: boolean;
  /** How many other machines are heard. */
  readonly others: number;
  /** Where the address is, seen from here. */
  readonly place?: 'this machine' | 'own subnet' | 'other subnet' | 'no route';
  readonly agentPort?: TcpOutcome;
  readonly sshPort?: TcpOutcome;
  /** Undefined also when something else answers at that port. */
  readonly agent?: AgentHello;
  readonly own: { readonly version: string; readonly lab: string; readonly platform: NodeJS.Platform };
}
