import { type DeviceInfo, Graph, Session } from '../../client/index.ts';
import { type AddCommand, action } from '../command.ts';
import { addTargetOptions, sessionOptions, type TargetFlags } from '../target.ts';
import { formatJson, formatTable } from '../terminal.ts';

export const addDevicesCommand: AddCommand = (program, context) => {
  const command = program.command('devices').description('list the devices of a cluster').option('--json', 'as JSON');
  addTargetOptions(command, { required: true });
  command.action(
    action('devices', context, async (signal, flags: TargetFlags & { json?: true }) => {
      const session = new Session(flags.target, { graph: new Graph(), ...sessionOptions(flags, context.terminal) });
      try {
        const devices = await session.listDevices({ signal });
        context.terminal.print(flags.json ? formatJson(devices) : deviceTable(devices));
      } finally {
        await session.close();
      }
    }),
  );
};

function deviceTable(devices: readonly DeviceInfo[]): string {
  const rows = devices.map(({ name, type, memoryLimit, incarnation, description }) => [
    name,
    type,
    `${Math.round(memoryLimit / 2 ** 20)} MiB`,
    BigInt.asUintN(64, incarnation).toString(16).padStart(16, '0'),
    description,
  ]);
  return formatTable([['DEVICE', 'TYPE', 'MEMORY', 'INCARNATION', 'DESCRIPTION'], ...rows]);
}
