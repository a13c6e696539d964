import { type Command, Option } from 'commander';

/** The flags of a cluster that is formed on this machine for one command. */
export function addLocalOptions(command: Command): void {
  command
    .addOption(new Option('--engine <engine>', 'what runs the tasks').choices(['bundled', 'tensorflow']).default('bundled'))
    .addOption(
      new Option('--placement <rule>', "where nodes without a device go: the cluster's first task, or the master's own")
        .choices(['first-task', 'local'])
        .default('first-task'),
    );
}
