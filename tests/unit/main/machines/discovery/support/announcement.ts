import { type Announcement, encodeAnnouncement } from '#proto/discovery/announcement.ts';
import { type DnsMessage, instanceOf, LANFLOW_SERVICE } from '#proto/discovery/dns.ts';
import type { Interfaces } from '#proto/discovery/interfaces.ts';

export const LAN: Interfaces = {
  eth0: [{ address: '10.0.0.5', family: 'IPv4', internal: false, mac: '02:00:00:00:00:01', cidr: '10.0.0.5/24' }],
};

/** The message in which a machine's agent announces itself; with a `ttl` of 0 it takes that back. */
export function announcement(machine: string, said: Partial<Announcement> = {}, ttl = 120, addresses = ['10.0.0.9']): DnsMessage {
  const name = instanceOf(machine);
  const target = `lanflow-${machine}.local`;
  const text = encodeAnnouncement({ machine, startId: 'start', name: machine, versions: {}, fingerprint: '', lab: '', ...said });
  return {
    answers: [
      { name: LANFLOW_SERVICE, type: 'PTR', ttl, data: name },
      { name, type: 'SRV', ttl, flush: true, data: { priority: 0, weight: 0, port: 7450, target } },
      { name, type: 'TXT', ttl, flush: true, data: text },
      ...addresses.map((data) => ({ name: target, type: data.includes(':') ? 'AAAA' : 'A', ttl, flush: true, data })),
    ],
  };
}
