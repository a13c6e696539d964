import { homedir } from 'node:os';
import type { LabInfo } from '#proto/ipc/contract.ts';
import type { Machines } from '../../machines/machines.ts';
import { knownMachines } from '../../machines/sources/known-machines.ts';
import type { AreaHandlers, Emit } from '../handler.ts';
import type { LabGuests } from '../lab-guests.ts';
import type { MachineInstalls } from '../machine-installs.ts';
import { MachineProbe } from '../machine-probe.ts';

export interface MachineHandlersEnv {
  readonly machines: Machines;
  readonly installs: MachineInstalls;
  readonly guests: LabGuests;
  readonly labInfo: () => Promise<LabInfo | null>;
  /** Tells the windows of it. */
  readonly tellLab: () => void;
  readonly emit: Emit;
}

export function machineHandlers({ machines, installs, guests, labInfo, tellLab, emit }: MachineHandlersEnv): AreaHandlers<'machines'> {
  const { lan } = machines;
  const probe = new MachineProbe({ machines, onProgress: (progress) => emit('machines.probing', progress) });
  const discovery = () => ({ problem: lan.problem.message });
  machines.listen({
    onMachines: () => emit('machines.changed', { machines: machines.now() }),
    onTasks: () => undefined,
    onLines: () => undefined,
    onLab: () => tellLab(),
    onProblem: () => emit('machines.discoveryChanged', discovery()),
  });
  return {
    'machines.list': () => machines.list(),
    'machines.discovery': discovery,
    'machines.lookAgain': () => {
      lan.lookAgain();
      return null;
    },
    'machines.add': ({ address }) => machines.add(address),
    'machines.probe': () => probe.run(),
    'machines.cancelProbe': () => {
      probe.cancel();
      return null;
    },
    'machines.pair': ({ machine, pin }) => machines.pair(machine, pin),
    'machines.remove': async ({ machine }) => {
      await machines.remove(machine);
      return null;
    },
    'machines.diagnose': ({ target }) => lan.diagnose(target),
    'machines.known': () => knownMachines(homedir()),
    'machines.lab': labInfo,
    'machines.invite': () => guests.invite(),
    'machines.endInvitation': () => {
      guests.end();
      return null;
    },
    'machines.joinLab': ({ address, pin }) => guests.join(address, pin),
    'machines.install': ({ targets, login, component }) => {
      installs.install(targets, login, component);
      return null;
    },
    'machines.uninstall': ({ targets, login }) => {
      installs.uninstall(targets, login);
      return null;
    },
    'machines.answerHostKeys': ({ hosts, accept }) => {
      installs.answerHostKeys(hosts, accept);
      return null;
    },
    'machines.cancelInstall': ({ targets }) => {
      installs.cancel(targets);
      return null;
    },
    'machines.installs': () => installs.infos,
  };
}
