import { ownBundle } from '../../install/own-env.ts';
import { type AddCommand, action } from '../command.ts';
import { installHere } from '../install-here.ts';
import { addHereOption, checkWhere, type LocalFlags, workLocally } from '../local-work.ts';
import { addRemoteOptions, installationHere, type RemoteFlags, remoteWork, workRemotely } from '../remote-work.ts';

interface InstallFlags extends RemoteFlags, LocalFlags {
  readonly makeBundle?: true;
  readonly component?: string;
}

export const addInstallCommand: AddCommand = (program, context) => {
  const command = program
    .command('install')
    .description('installs the agent on other machines by SSH, or on this one, without root, and makes them machines of your lab')
    .argument('[host...]', '[USER@]HOST each: a name of ~/.ssh/config, or an address');
  addHereOption(addRemoteOptions(command), 'on this machine itself, for which it needs no SSH server')
    .option('--component <folder>', 'bring what is in this folder too: GPU libraries for the tasks there (docs/install.md)')
    .option('--make-bundle', 'only make the file that goes to machines of this kind, and print its path')
    .action(
      action('install', context, async (signal, hosts: readonly string[], flags: InstallFlags) => {
        if (flags.makeBundle) {
          const { path } = await ownBundle({ platform: process.platform, arch: process.arch }, installationHere());
          return context.terminal.print(path);
        }
        checkWhere('install', hosts, flags);
        if (flags.here) {
          const options = { component: flags.component, log: (line: string) => context.terminal.log(line) };
          return workLocally(context, { kind: 'install', flags, signal, work: (env) => installHere(env, options) });
        }
        const work = await remoteWork(hosts, flags);
        await workRemotely(context, {
          flags,
          signal,
          begin: (queue) => {
            for (const { target, login } of work) queue.install([target], login, flags.component);
          },
        });
      }),
    );
};
