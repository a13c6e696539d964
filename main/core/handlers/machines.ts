import { homedir } from 'node:os';
import type { Machines } from '../../machines/machines.ts';
import { knownMachines } from '../../machines/sources/known-machines.ts';
import type { LabAuthority } from '../../store/lab/lab-authority.ts';
import type { AreaHandlers, Emit } from '../handler.ts';
import type { MachineInstalls } from '../machine-installs.ts';

export interface MachineHandlersEnv {
  readonly machines: Machines;
  readonly lab: LabAuthority;
  readonly installs: MachineInstalls;
  readonly emit: Emit;
}

export function machineHandlers({ machines, lab, installs, emit }: MachineHandlersEnv): AreaHandlers<'machines'> {
  const { lan } = machines;
  const discovery = () => ({ problem: lan.problem.message });
  machines.listen({
    onMachines: () => emit('machines.changed', { machines: machines.now() }),
    onTasks: () => undefined,
    onLines: () => undefined,
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
    'machines.probe': () => machines.probe(),
    'machines.pair': ({ machine, pin }) => machines.pair(machine, pin),
    'machines.remove': async ({ machine }) => {
      await machines.remove(machine);
      return null;
    },
    'machines.diagnose': ({ target }) => lan.diagnose(target),
    'machines.known': () => knownMachines(homedir()),
    'machines.lab': () => lab.info(),
    'machines.install': ({ targets, login }) => {
      installs.install(targets, login);
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
