import { type Announcement, decodeAnnouncement } from '#proto/discovery/announcement.ts';
import { byReach, type Interfaces } from '#proto/discovery/interfaces.ts';
import { distinctNames } from './distinct-names.ts';
import type { ServiceInstance } from './service-cache.ts';

/** A machine whose agent has announced itself. What it says of itself is not proved before one has connected to it. */
export interface FoundMachine extends Announcement {
  /** Told from others of the same name: `lab-pc (2)`. */
  readonly title: string;
  /** Those to try first are first. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Heard of, and not expired. */
  readonly isHere: boolean;
  /** When it was last heard of. */
  readonly seenAt: number;
}

export type MachineEvent =
  | { readonly kind: 'up' | 'lost'; readonly machine: FoundMachine }
  /** `isRestarted`: its agent's process is another one. */
  | { readonly kind: 'changed'; readonly machine: FoundMachine; readonly isRestarted: boolean };

/** More than any lab has; a program that floods the LAN with names shall not fill the screen without end. */
const MAX_MACHINES = 1000;

/** Machines by id, with those that were here once. */
export class MachineTable {
  readonly #machines = new Map<string, FoundMachine>();

  get machines(): readonly FoundMachine[] {
    return [...this.#machines.values()];
  }

  /** All that can be heard of now; answers what is new about it. */
  update(instances: readonly ServiceInstance[], interfaces: Interfaces): readonly MachineEvent[] {
    const here = new Map(instances.flatMap((instance) => readMachine(instance, interfaces)).map((each) => [each.machine, each]));
    const gone = [...this.#machines.values()].filter(({ machine }) => !here.has(machine)).map((each) => ({ ...each, isHere: false }));
    // Those that were known first keep the plain name.
    const known = [...this.#machines.keys()].flatMap((id) => here.get(id) ?? gone.find(({ machine }) => machine === id) ?? []);
    const added = [...here.values()].filter(({ machine }) => !this.#machines.has(machine)).sort((a, b) => (a.machine < b.machine ? -1 : 1));
    const all = distinctNames([...known, ...added].slice(0, MAX_MACHINES));
    const events = all.flatMap((machine) => this.#compare(machine));
    for (const machine of all) this.#machines.set(machine.machine, machine);
    return events;
  }

  /** One that is not here, and that the user does not want to see any more. */
  forget(id: string): void {
    if (this.#machines.get(id)?.isHere === false) this.#machines.delete(id);
  }

  #compare(machine: FoundMachine): MachineEvent[] {
    const before = this.#machines.get(machine.machine);
    if (!before) return [{ kind: 'up', machine }];
    if (before.isHere !== machine.isHere) return [{ kind: machine.isHere ? 'up' : 'lost', machine }];
    const { seenAt: _, ...a } = before;
    const { seenAt: __, ...b } = machine;
    if (JSON.stringify(a) === JSON.stringify(b)) return [];
    return [{ kind: 'changed', machine, isRestarted: before.startId !== machine.startId }];
  }
}

function readMachine({ text, addresses, port, seenAt }: ServiceInstance, interfaces: Interfaces): FoundMachine[] {
  const said = decodeAnnouncement(text);
  if (!said) return [];
  const reachable = byReach(addresses, interfaces);
  return reachable.length > 0 ? [{ ...said, title: said.name, addresses: reachable, port, isHere: true, seenAt }] : [];
}
