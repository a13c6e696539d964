import { createInterface } from 'node:readline/promises';
import type { MachineInfo } from '#proto/ipc/contract.ts';
import { Code, invalidArgument, toStatusError } from '#proto/wire/status.ts';
import type { Machines } from '../../machines/machines.ts';
import { type AddCommand, action } from '../command.ts';
import { machineOf, withLan } from '../lan.ts';
import { formatJson } from '../terminal.ts';

interface PairFlags {
  readonly pin?: string;
  readonly json?: true;
}

export const addPairCommand: AddCommand = (program, context) => {
  const { terminal } = context;
  program
    .command('pair')
    .description('make a machine, whose agent was started by hand, one of your lab')
    .argument('<machine>', 'its name, id or address')
    .option('--pin <pin>', 'the one that its agent shows; asked for when it is not given')
    .option('--json', 'as JSON')
    .action(
      action('pair', context, (signal, name: string, { pin, json }: PairFlags) =>
        withLan(terminal, signal, async (machines) => {
          const { id, name: title } = await find(machines, name);
          const paired = await machines.pair(id, pin ?? (await askPin(title, signal)));
          terminal.print(json ? formatJson(paired) : `${paired.name} belongs to your lab now, and is ${paired.state}`);
        }),
      ),
    );
};

/** One that is not announced is looked for at its address. */
async function find(machines: Machines, name: string): Promise<MachineInfo> {
  try {
    return machineOf(machines.now(), name);
  } catch (error) {
    if (toStatusError(error).code !== Code.NOT_FOUND) throw error;
    return machines.add(name);
  }
}

async function askPin(machine: string, signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) throw invalidArgument('Give the PIN with --pin: there is no terminal to ask for it');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await prompt.question(`PIN that the agent of ${machine} shows: `, { signal });
  } finally {
    prompt.close();
  }
}
