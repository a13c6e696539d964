import type { Machines } from '../../machines/machines.ts';
import type { AreaHandlers, Emit } from '../handler.ts';

export function machineHandlers(machines: Machines, emit: Emit): AreaHandlers<'machines'> {
  const tell = (): void => emit('machines.changed', { machines: machines.now() });
  machines.listen({ onMachines: tell, onTasks: () => undefined, onLines: () => undefined });
  return { 'machines.list': () => machines.list() };
}
