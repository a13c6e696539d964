import type { AreaHandlers } from '../handler.ts';
import type { ThisMachine } from '../this-machine.ts';

export function machineHandlers(machine: ThisMachine): AreaHandlers<'machines'> {
  return { 'machines.list': () => [machine.info()] };
}
