import type { HelloResponse } from '#proto/generated/lanflow/pairing_pb.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { distinctNames } from '../discovery/distinct-names.ts';
import type { FoundMachine } from '../discovery/machine-table.ts';
import type { AgentPlace } from './hello.ts';

/** All agents that have been heard of: by multicast, or because somebody gave their address. */
export class Neighbours {
  readonly #discovery: Pick<Discovery, 'machines' | 'forget'>;
  readonly #added = new Map<string, FoundMachine>();
  /** Labs of machines that have just been paired, until their agents announce the same. */
  readonly #joined = new Map<string, string>();

  constructor(discovery: Pick<Discovery, 'machines' | 'forget'>) {
    this.#discovery = discovery;
  }

  get all(): readonly FoundMachine[] {
    const heard = this.#discovery.machines;
    const isHeard = (id: string): boolean => heard.some(({ machine, isHere }) => machine === id && isHere);
    const added = [...this.#added.values()].filter(({ machine }) => !isHeard(machine));
    const isAdded = (id: string): boolean => added.some(({ machine }) => machine === id);
    const all = [...heard.filter(({ machine }) => !isAdded(machine)), ...added];
    return distinctNames(all.map((each) => ({ ...each, lab: this.#labOf(each) })));
  }

  find(id: string): FoundMachine | undefined {
    return this.all.find(({ machine }) => machine === id);
  }

  /** One that has answered at its address. */
  add({ machine, startId, hostName, version, lab }: HelloResponse, { host, port }: AgentPlace): void {
    const known = { machine, startId, name: hostName, title: hostName, versions: version, lab, fingerprint: '' };
    this.#added.set(machine, { ...known, addresses: [host], port, isHere: true, seenAt: Date.now() });
  }

  /** It belongs to this lab now, whatever was heard of it before. */
  joined(id: string, lab: string): void {
    this.#joined.set(id, lab);
  }

  forget(id: string): void {
    this.#added.delete(id);
    this.#joined.delete(id);
    this.#discovery.forget(id);
  }

  #labOf({ machine, lab }: FoundMachine): string {
    const joined = this.#joined.get(machine);
    if (joined === lab) this.#joined.delete(machine);
    return joined ?? lab;
  }
}
