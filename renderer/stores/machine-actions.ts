import type { MachineInfo } from '#proto/ipc/contract.ts';
import type { App } from './app.ts';
import { targetOf } from './machine-installs.ts';

/** What can be done about one machine. */
export type MachineAction = 'install' | 'pair' | 'diagnose' | 'uninstall' | 'remove';

const byState: Readonly<Record<MachineInfo['state'], readonly MachineAction[]>> = {
  online: ['uninstall', 'remove'],
  lost: ['diagnose', 'install', 'uninstall', 'remove'],
  unpaired: ['pair', 'install', 'uninstall', 'remove'],
  'other lab': ['diagnose', 'remove'],
  installable: ['install', 'diagnose', 'remove'],
};

/** Most wanted first. Nothing is done to the machine that the window is on. */
export function actionsFor({ isThis, state }: Pick<MachineInfo, 'isThis' | 'state'>): readonly MachineAction[] {
  return isThis ? [] : byState[state];
}

/** What brings the machine nearer to taking tasks. Undefined where it does, or where nothing here helps. */
export function wayOut(machine: Pick<MachineInfo, 'isThis' | 'state'>): MachineAction | undefined {
  return machine.state === 'online' ? undefined : actionsFor(machine)[0];
}

export async function actOnMachine(app: App, machine: MachineInfo, action: MachineAction): Promise<void> {
  if (action === 'remove') await removeAfterAsking(app, machine);
  else if (action === 'pair') app.machineDialog.open({ kind: 'pair', machine: machine.id });
  else if (action === 'diagnose') app.machineDialog.open({ kind: 'diagnose', target: machine.addresses[0] ?? machine.name });
  else app.machineDialog.open({ kind: action, targets: [targetOf(machine)] });
}

async function removeAfterAsking({ confirmation, core, i18n: { text }, toasts }: App, { id, name, state }: MachineInfo): Promise<void> {
  const isOurs = state === 'online' || state === 'lost';
  const question = {
    title: text('machines.removeTitle', { name }),
    text: text(isOurs ? 'machines.removeFromLabText' : 'machines.removeFromListText'),
    action: text('machines.do.remove'),
  };
  if (!(await confirmation.ask(question))) return;
  await toasts.guard(async () => {
    await core.call('machines.remove', { machine: id });
    toasts.say(text('machines.removed', { name }));
  });
}
