import { unavailable } from '#proto/wire/status.ts';
import type { Formation, PlacedTask } from './placed-task.ts';
import type { ClusterMachine, ClusterMachines } from './task-control.ts';

interface Failure {
  readonly from: ClusterMachine;
  readonly to: ClusterMachine;
  readonly task: PlacedTask;
  readonly address: string;
  readonly outcome: string;
}

/** An agent tries no more at a time. */
const AT_A_TIME = 64;

/**
 * Has each machine connect to the addresses of the tasks on the others, before these start: their ports are held open by their agents.
 * UNAVAILABLE names the first pair that cannot, how many there are, and what to do about it.
 */
export async function checkReach(tasks: readonly PlacedTask[], { spec }: Formation, machines: ClusterMachines): Promise<void> {
  const addresses = new Map(spec.tasks.map(({ name, address }) => [name, address]));
  const ids = [...new Set(tasks.map(({ draft }) => draft.machine))];
  const failures = await Promise.all(
    ids.map(async (id): Promise<readonly Failure[]> => {
      const from = machines.get(id);
      const others = tasks.filter(({ draft }) => draft.machine !== id);
      if (others.length === 0) return [];
      const reach = await reachAll(
        from,
        others.map(({ name }) => addresses.get(name) ?? ''),
      );
      return others.flatMap((task, i) => {
        const { address = '', outcome = '' } = reach[i] ?? {};
        return outcome === 'open' ? [] : [{ from, to: machines.get(task.draft.machine), task, address, outcome }];
      });
    }),
  );
  const all = failures.flat();
  const [first] = all;
  if (first) throw unavailable(textOf(first, all.length - 1));
}

/** In the order of the addresses. */
async function reachAll({ agent }: ClusterMachine, addresses: readonly string[]) {
  const reach = [];
  for (let at = 0; at < addresses.length; at += AT_A_TIME) reach.push(...(await agent.checkReach(addresses.slice(at, at + AT_A_TIME))));
  return reach;
}

function textOf({ from, to, task, address, outcome }: Failure, more: number): string {
  const others = more > 0 ? ` (and ${more} more such pairs)` : '';
  return `${nameOf(from)} cannot connect to ${task.name} on ${nameOf(to)} at ${address}: ${outcome}${others}. ${remedy(to, address, outcome)}`;
}

function remedy(to: ClusterMachine, address: string, outcome: string): string {
  const port = /\d+$/.exec(address)?.[0] ?? '';
  if (outcome === 'no route' || outcome === 'nobody there') return 'Put both machines on one network, or set a route between theirs';
  return `Let its firewall admit the port there: ${firewallCommand(to.machine?.system ?? '', port)}`;
}

/** What is typed on that system. */
function firewallCommand(system: string, port: string): string {
  if (system.startsWith('Windows'))
    return `netsh advfirewall firewall add rule name=Lanflow dir=in action=allow protocol=TCP localport=${port}`;
  if (system.startsWith('Darwin')) return 'System Settings › Network › Firewall › Options, and allow incoming connections for node';
  return `sudo ufw allow ${port}/tcp, or sudo firewall-cmd --add-port=${port}/tcp`;
}

function nameOf({ id, machine }: ClusterMachine): string {
  return machine?.hostName ?? id;
}
