import { type AddCommand, action } from '../command.ts';
import { addRemoteOptions, type RemoteFlags, remoteWork, workRemotely } from '../remote-work.ts';

export const addUninstallCommand: AddCommand = (program, context) => {
  const command = program
    .command('uninstall')
    .description('ends the agent and its tasks on other machines by SSH, and removes all that was installed')
    .argument('<host...>', '[USER@]HOST each: a name of ~/.ssh/config, or an address');
  addRemoteOptions(command).action(
    action('uninstall', context, async (signal, hosts: readonly string[], flags: RemoteFlags) => {
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
