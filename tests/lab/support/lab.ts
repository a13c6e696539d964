import { ip, tryCommand } from './command.ts';
import { LabMachine, type MachineSpec } from './machine.ts';
import { type NetworkSpec, Networks } from './network.ts';
import { removeStaleLabs, spaceName } from './spaces.ts';

export interface LabOptions {
  /** A number of them is called pc1, pc2, … */
  readonly machines: number | readonly MachineSpec[];
  /** Default: one, called `lan`, without a router. */
  readonly networks?: Readonly<Record<string, NetworkSpec>>;
  /** The host is on the first network too, at .2. */
  readonly withHost?: boolean;
}

export interface Lab {
  readonly machines: readonly LabMachine[];
  machine(name: string): LabMachine;
  /** Nothing of the lab is left when this resolves; also after a failure, and more than once. */
  destroy(): Promise<void>;
}

let labs = 0;

/**
 * Computers in network namespaces of this host, joined by switches. Needs root. Namespaces are named by this process's id: what
 * a process that is gone has left is removed first.
 */
export async function createLab({ machines, networks = { lan: {} }, withHost = false }: LabOptions): Promise<Lab> {
  await removeStaleLabs();
  const specs = typeof machines === 'number' ? Array.from({ length: machines }, (_, i): MachineSpec => ({ name: `pc${i + 1}` })) : machines;
  const number = ++labs;
  const lanes = new Networks(spaceName(number, 'switch'), networks);
  const all = specs.map((spec, index) => new LabMachine({ spec, space: spaceName(number, spec.name), index, networks: lanes }));
  const destroy = async (): Promise<void> => {
    await Promise.all(all.map((machine) => machine.halt()));
    // With its namespace it would go too, but some time later.
    if (withHost) await tryCommand('ip', ['link', 'delete', hostDevice(number)]);
    // The names of those that were never made are not there.
    for (const name of ['switch', ...specs.map((spec) => spec.name)]) await tryCommand('ip', ['netns', 'delete', spaceName(number, name)]);
  };
  try {
    await lanes.open();
    const first = Object.keys(networks).slice(0, 1);
    await Promise.all(all.map((machine, index) => machine.boot(specs[index]?.networks ?? first)));
    if (withHost) await connectHost({ networks: lanes, network: first[0] ?? '', number });
  } catch (error) {
    await destroy();
    throw error;
  }
  return {
    machines: all,
    machine: (name) => {
      const found = all.find((each) => each.name === name);
      if (!found) throw new Error(`The lab has no machine '${name}'`);
      return found;
    },
    destroy,
  };
}

/** Discovery takes it for a network card. */
const hostDevice = (number: number): string => `lab${process.pid}-${number}`;

async function connectHost({ networks, network, number }: { networks: Networks; network: string; number: number }): Promise<void> {
  const space = spaceName(number, 'host');
  // `ip` needs a name for the host's own namespace.
  await ip('netns', 'attach', space, String(process.pid));
  try {
    await networks.connect({ network, space, device: hostDevice(number), host: 2 });
  } finally {
    await ip('netns', 'delete', space);
  }
}
