import type { MachineInfo } from '#proto/ipc/contract.ts';
import { type AddCommand, action } from '../command.ts';
import { openLab } from '../local-lab.ts';
import { formatJson, formatTable } from '../terminal.ts';

export const addMachinesCommand: AddCommand = (program, context) => {
  program
    .command('machines')
    .description('list the machines that tasks can run on')
    .option('--json', 'as JSON')
    .action(
      action('machines', context, async (_, { json }: { json?: true }) => {
        const lab = await openLab(context.terminal);
        try {
          const machines = await lab.machines.list();
          context.terminal.print(json ? formatJson(machines) : machineTable(machines));
        } finally {
          await lab.close();
        }
      }),
    );
};

const GIB = 2 ** 30;

function machineTable(machines: readonly MachineInfo[]): string {
  const rows = machines.map((machine) => [
    machine.id,
    machine.isThis ? `${machine.name} (this machine)` : machine.name,
    machine.state,
    String(machine.cores),
    `${Math.round(machine.load * 100)} %`,
    used(machine.memoryTotal, machine.memoryFree),
    used(machine.diskTotal, machine.diskFree),
    machine.gpus.join(', ') || '-',
    String(machine.tasks),
    machine.isInstalled ? 'installed' : 'private',
    machine.reason,
  ]);
  return formatTable([['ID', 'NAME', 'STATE', 'CORES', 'LOAD', 'MEMORY', 'DISK', 'GPUS', 'TASKS', 'AGENT', ''], ...rows]);
}

function used(total: number, free: number): string {
  return total === 0 ? '-' : `${((total - free) / GIB).toFixed(1)} of ${(total / GIB).toFixed(1)} GiB`;
}
