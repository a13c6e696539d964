import { workplaceHere } from '../../install/here/workplace-here.ts';
import type { WorkEnv } from '../../install/install.ts';
import { uninstalledMessage } from '../../install/messages.ts';
import { uninstall } from '../../install/uninstall.ts';
import { type AddCommand, action } from '../command.ts';
import { addHereOption, checkWhere, type LocalFlags, workLocally } from '../local-work.ts';
import { addRemoteOptions, installationHere, type RemoteFlags, remoteWork, workRemotely } from '../remote-work.ts';

export const addUninstallCommand: AddCommand = (program, context) => {
  const command = program
    .command('uninstall')
    .description('ends the agent and its tasks on other machines by SSH, or on this one, and removes all that was installed')
    .argument('[host...]', '[USER@]HOST each: a name of ~/.ssh/config, or an address');
  addHereOption(addRemoteOptions(command), 'on this machine itself').action(
    action('uninstall', context, async (signal, hosts: readonly string[], flags: RemoteFlags & LocalFlags) => {
      checkWhere('uninstall', hosts, flags);
      if (flags.here) {
        const work = async (env: WorkEnv) => uninstalledMessage(await uninstall(workplaceHere(installationHere()), env));
        return workLocally(context, { kind: 'uninstall', flags, signal, work });
      }
      const work = await remoteWork(hosts, flags);
      await workRemotely(context, {
        flags,
        signal,
        begin: (queue) => {
          for (const { target, login } of work) queue.uninstall([target], login);
        },
      });
    }),
  );
};
