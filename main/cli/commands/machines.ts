import type { Command } from 'commander';
import type { MachineInfo, ProbeProgress } from '#proto/ipc/contract.ts';
import { cancelled, unavailable } from '#proto/wire/status.ts';
import { type AddCommand, action, type CommandContext } from '../command.ts';
import { machineOf, withLan } from '../lan.ts';
import { formatJson, formatTable } from '../terminal.ts';

interface JsonFlag {
  readonly json?: true;
}

export const addMachinesCommand: AddCommand = (program, context) => {
  const command = program.command('machines').description('the machines that tasks can run on, and those that could be among them');
  addList(command, context);
  addAdd(command, context);
  addProbe(command, context);
  addWhy(command, context);
  addRemove(command, context);
};

function addList(command: Command, context: CommandContext): void {
  const { terminal } = context;
  command
    .command('list', { isDefault: true })
    .description('list them, once the LAN has had time to answer')
    .option('--json', 'as JSON')
    .action(
      action('machines', context, (signal, { json }: JsonFlag) =>
        withLan(terminal, signal, async (machines) => {
          const all = await machines.list();
          terminal.print(json ? formatJson(all) : machineTable(all));
          const { message } = machines.lan.problem;
          if (message !== '') terminal.log(message);
        }),
      ),
    );
}

function addAdd(command: Command, context: CommandContext): void {
  const { terminal } = context;
  command
    .command('add')
    .description('look for an agent at an address that multicast does not reach; one of the lab is remembered')
    .argument('<address>', 'name or address, with a port where it is not the usual one')
    .option('--json', 'as JSON')
    .action(
      action('machines add', context, (signal, address: string, { json }: JsonFlag) =>
        withLan(terminal, signal, async (machines) => {
          const machine = await machines.add(address);
          terminal.print(json ? formatJson(machine) : machineTable([machine]));
        }),
      ),
    );
}

function addProbe(command: Command, context: CommandContext): void {
  const { terminal } = context;
  command
    .command('probe')
    .description("knock at the agent's port of every address of the own subnets; others may take that for an attack")
    .option('--json', 'as JSON')
    .action(
      action('machines probe', context, (signal, { json }: JsonFlag) =>
        withLan(terminal, signal, async (machines) => {
          const onProgress = ({ tried, all, found }: ProbeProgress): void =>
            terminal.glimpse(`${tried} of ${all} addresses tried, ${found} machines found; Ctrl-C ends the search`);
          const { tried, all, found } = await machines.probe({ signal, onProgress });
          terminal.print(json ? formatJson(found) : machineTable(found));
          terminal.log(tried < all ? `Ended after ${tried} of ${all} addresses` : `${tried} addresses tried`);
          if (signal.aborted) throw cancelled('Stopped by the user');
        }),
      ),
    );
}

function addWhy(command: Command, context: CommandContext): void {
  const { terminal } = context;
  command
    .command('why')
    .description('why is a machine missing?')
    .argument('<target>', 'its name or address')
    .option('--json', 'as JSON')
    .action(
      action('machines why', context, (signal, target: string, { json }: JsonFlag) =>
        withLan(terminal, signal, async ({ lan }) => {
          const diagnosis = await lan.diagnose(target);
          terminal.print(json ? formatJson(diagnosis) : diagnosis.message);
          if (diagnosis.cause !== 'fine') throw unavailable(`${target}: ${diagnosis.cause}`);
        }),
      ),
    );
}

function addRemove(command: Command, context: CommandContext): void {
  const { terminal } = context;
  command
    .command('remove')
    .description('take a machine out of the lab: its certificate counts no longer')
    .argument('<machine>', 'its id or name')
    .action(
      action('machines remove', context, (signal, name: string) =>
        withLan(terminal, signal, async (machines) => {
          const { id, name: title } = machineOf(await machines.list(), name);
          await machines.remove(id);
          terminal.print(`${title} belongs to the lab no longer`);
        }),
      ),
    );
}

const GIB = 2 ** 30;

function machineTable(machines: readonly MachineInfo[]): string {
  const rows = machines.map((machine) => [
    machine.id,
    machine.isThis ? `${machine.name} (this machine)` : machine.name,
    machine.state,
    machine.addresses[0] ?? '-',
    String(machine.cores),
    `${Math.round(machine.load * 100)} %`,
    used(machine.memoryTotal, machine.memoryFree),
    used(machine.diskTotal, machine.diskFree),
    machine.gpus.join(', ') || '-',
    enginesText(machine) || '-',
    String(machine.tasks),
    machine.isInstalled ? 'installed' : 'private',
    machine.reason,
  ]);
  return formatTable([
    ['ID', 'NAME', 'STATE', 'ADDRESS', 'CORES', 'LOAD', 'MEMORY', 'DISK', 'GPUS', 'ENGINES', 'TASKS', 'AGENT', ''],
    ...rows,
  ]);
}

/** `bundled, tensorflow 2.21.0 (conda: lab)` */
function enginesText({ engines }: MachineInfo): string {
  const usable = engines.filter(({ problem }) => problem === '');
  return usable.map(({ name, version, title }) => (title === '' ? name : `${name} ${version} (${title})`)).join(', ');
}

function used(total: number, free: number): string {
  return total === 0 ? '-' : `${((total - free) / GIB).toFixed(1)} of ${(total / GIB).toFixed(1)} GiB`;
}
