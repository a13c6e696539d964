import type { DiscoveryInfo, InstallInfo, KnownMachine, LabInfo, MachineInfo, SshTarget } from '#proto/ipc/contract.ts';
import type { Core } from '../api/core.ts';
import { installOf, isUnderWay } from './machine-installs.ts';
import { Remote } from './remote.svelte.ts';

/** All machines that are known, whatever their state, with what is done to them; kept up to date by the core. */
export class MachinesStore extends Remote<readonly MachineInfo[]> {
  readonly discovery: Remote<DiscoveryInfo>;
  readonly installs: Remote<readonly InstallInfo[]>;
  /** Null before there is one. */
  readonly lab: Remote<LabInfo | null>;
  /** Those that the user's files name; fetched when somebody wants to see them. */
  readonly known: Remote<readonly KnownMachine[]>;
  readonly here: MachineInfo | undefined = $derived(this.value?.find(({ isThis }) => isThis));
  /** Those that take tasks. */
  readonly online: readonly MachineInfo[] = $derived((this.value ?? []).filter(({ state }) => state === 'online'));
  /** Those that nobody installs on yet. */
  readonly installable: readonly MachineInfo[] = $derived(
    (this.value ?? []).filter((machine) => machine.state === 'installable' && !this.workOn(machine)),
  );

  constructor(core: Core) {
    super(() => core.call('machines.list'));
    this.discovery = new Remote(() => core.call('machines.discovery'));
    this.installs = new Remote(() => core.call('machines.installs'));
    this.lab = new Remote(() => core.call('machines.lab'));
    this.known = new Remote(() => core.call('machines.known'));
    core.on('machines.changed', ({ machines }) => {
      this.value = machines;
    });
    core.on('machines.discoveryChanged', (discovery) => {
      this.discovery.value = discovery;
    });
    core.on('machines.labChanged', ({ lab }) => {
      this.lab.value = lab;
    });
    core.on('machines.installing', ({ installs }) => {
      this.installs.value = installs;
    });
  }

  find(id: string): MachineInfo | undefined {
    return this.value?.find((machine) => machine.id === id);
  }

  /** What is being done to a machine now. */
  workOn(machine: MachineInfo): InstallInfo | undefined {
    const install = installOf(machine, this.installs.value ?? []);
    return install && isUnderWay(install) ? install : undefined;
  }

  /** What people call the machine at an address; empty for one that is not on the list, or is called so. */
  nameAt({ host }: Pick<SshTarget, 'host'>): string {
    const name = this.value?.find(({ addresses }) => addresses.includes(host))?.name ?? '';
    return name === host ? '' : name;
  }
}
