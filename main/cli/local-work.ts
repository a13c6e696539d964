import { hostname } from 'node:os';
import { type Command, Option } from 'commander';
import type { InstallInfo } from '#proto/ipc/contract/machines.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import type { WorkEnv } from '../install/install.ts';
import { InstallJob } from '../install/install-job.ts';
import { Slots } from '../install/slots.ts';
import type { CommandContext } from './command.ts';
import { tellOutcome, workTeller } from './work-told.ts';

export interface LocalFlags {
  readonly here?: true;
  readonly json?: true;
}

/** The flag of commands that work on this machine itself in place of others. */
export function addHereOption(command: Command, description: string): Command {
  return command.addOption(new Option('--here', description).conflicts(['user', 'port', 'passwordStdin', 'key', 'acceptNew']));
}

/** INVALID_ARGUMENT unless either hosts are named or this machine is meant. */
export function checkWhere(command: InstallInfo['kind'], hosts: readonly string[], { here }: LocalFlags): void {
  if (here && hosts.length > 0) throw invalidArgument(`--here means this machine alone; leave out ${hosts.join(' ')}`);
  if (!here && hosts.length === 0)
    throw invalidArgument(`Say on which machines: lanflow ${command} HOST…, or lanflow ${command} --here for this one`);
}

/** Does the work on this machine, telling how it goes; fails when it does. `work` resolves to what is there then. */
export async function workLocally(
  context: CommandContext,
  {
    kind,
    flags,
    signal,
    work,
  }: { kind: InstallInfo['kind']; flags: LocalFlags; signal: AbortSignal; work: (env: WorkEnv) => Promise<string> },
): Promise<void> {
  const tell = workTeller(context.terminal);
  const target = { host: hostname(), port: 0 };
  const job = new InstallJob({ target, kind, slots: new Slots(1), onChange: () => tell(job.info) });
  const onAbort = (): void => job.cancel();
  signal.addEventListener('abort', onAbort);
  await job.run(() => work({ signal: job.signal, onProgress: (progress) => job.report(progress) }));
  signal.removeEventListener('abort', onAbort);
  tellOutcome(context, [job.info], flags);
}
