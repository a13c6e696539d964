/** What discovery reads and writes of DNS messages. What comes from the network may be anything: `data` is checked where it is read. */
export interface DnsRecord {
  readonly name: string;
  readonly type: string;
  /** Seconds; 0 takes the record back. */
  readonly ttl?: number;
  /** Whoever sends it owns the name: earlier records of the name and type are void. */
  readonly flush?: boolean;
  readonly data?: unknown;
}

export interface DnsQuestion {
  readonly name: string;
  readonly type: string;
}

export interface DnsMessage {
  readonly id?: number;
  readonly type?: 'query' | 'response';
  readonly questions?: readonly DnsQuestion[];
  readonly answers?: readonly DnsRecord[];
  readonly additionals?: readonly DnsRecord[];
}

export interface ServiceTarget {
  readonly target: string;
  readonly port: number;
}

export const MDNS_PORT = 5353;
export const LANFLOW_SERVICE = '_lanflow._tcp.local';
export const SSH_SERVICE = '_ssh._tcp.local';
/** The name under which a machine can be asked for all services that it has. */
export const SERVICE_TYPES = '_services._dns-sd._udp.local';

export const instanceOf = (machine: string): string => `${machine}.${LANFLOW_SERVICE}`;

/** Names are compared without regard to case. */
export const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
