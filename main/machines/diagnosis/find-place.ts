import { createSocket } from 'node:dgram';
import { type Interfaces, isInSubnetOf } from '#proto/discovery/interfaces.ts';
import { isLinkLocal, isLoopback, withoutScope } from '#proto/discovery/ip-address.ts';
import type { Facts } from './facts.ts';

/** Where an address is, seen from here. Asks the system for its route; nothing is sent. */
export async function findPlace(address: string, interfaces: Interfaces): Promise<Facts['place'] & string> {
  const own = Object.values(interfaces).flatMap((all = []) => all);
  if (isLoopback(address) || own.some((each) => each.address === withoutScope(address))) return 'this machine';
  if (!(await hasRoute(address))) return 'no route';
  return isLinkLocal(address) || isInSubnetOf(own, address) ? 'own subnet' : 'other subnet';
}

const ANY_PORT = 9;

function hasRoute(address: string): Promise<boolean> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  return new Promise((resolve) => {
    socket.connect(ANY_PORT, address, (error?: Error | null) => {
      socket.close();
      resolve(!error);
    });
  });
}
