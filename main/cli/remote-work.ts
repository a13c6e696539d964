import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { SshLogin, SshTarget } from '#proto/ipc/contract/machines.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { InstallQueue } from '../install/install-queue.ts';
import { type OwnInstallation, ownInstallation, ownInstallEnv } from '../install/own-env.ts';
import { bundlePath } from '../program-host/bundles.ts';
import { ownDataFolder } from '../store/data-folder.ts';
import type { CommandContext } from './command.ts';
import { HostKeyAsker } from './host-key-asker.ts';
import { ownAuthority } from './own-lab.ts';
import { tellOutcome, workTeller } from './work-told.ts';

export interface RemoteFlags {
  readonly user?: string;
  readonly port?: string;
  readonly passwordStdin?: true;
  readonly key?: string;
  readonly acceptNew?: true;
  readonly json?: true;
}

export interface RemoteWork {
  readonly target: SshTarget;
  readonly login: SshLogin;
}

const SSH_PORT = 22;
const MAX_PORT = 65_535;

/** How commands that work on other machines by SSH are told where and as whom. */
export function addRemoteOptions(command: Command): Command {
  return command
    .option('--user <name>', 'whom to log in as; by default as ~/.ssh/config says, else your own name here')
    .option('--port <port>', "of SSH; by default as ~/.ssh/config says, else SSH's usual one")
    .option('--password-stdin', 'read the password, for all machines, from the first line of standard input')
    .option('--key <file>', 'a private key, besides those of your SSH agent and of ~/.ssh')
    .option('--accept-new', 'trust machines whose host key is not known yet; a changed key is refused in any case')
    .option('--json', 'what has become of each machine, as JSON');
}

/** Where and as whom, for `[USER@]HOST` each. INVALID_ARGUMENT when it cannot be understood, or names a host twice. */
export async function remoteWork(hosts: readonly string[], flags: RemoteFlags): Promise<readonly RemoteWork[]> {
  const port = flags.port === undefined ? SSH_PORT : Number(flags.port);
  if (!Number.isInteger(port) || port < 1 || port > MAX_PORT) throw invalidArgument(`--port: '${flags.port}' is no port`);
  const password = flags.passwordStdin ? ((await text(process.stdin)).split(/\r?\n/)[0] ?? '') : '';
  if (flags.passwordStdin && password === '') throw invalidArgument('--password-stdin: standard input has no password');
  const work = hosts.map((each) => {
    const at = each.lastIndexOf('@');
    const user = at < 0 ? (flags.user ?? '') : each.slice(0, at);
    return { target: { host: each.slice(at + 1), port }, login: { user, password, keyFile: flags.key ?? '', passphrase: '' } };
  });
  const twice = firstTwice(work.map(({ target }) => target.host.toLowerCase()));
  if (twice !== undefined)
    throw invalidArgument(`'${twice}' is named twice; one agent runs on a machine, so give each host once, with one user`);
  return work;
}

function firstTwice(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) < index);
}

/** Lanflow as it runs here. */
export function installationHere(): OwnInstallation {
  return ownInstallation(dirname(bundlePath('node_modules')), ownDataFolder());
}

/** Does the work, telling how it goes; fails when some of it does. */
export async function workRemotely(
  context: CommandContext,
  { flags, signal, begin }: { flags: RemoteFlags; signal: AbortSignal; begin: (queue: InstallQueue) => void },
): Promise<void> {
  const { terminal } = context;
  const asker = new HostKeyAsker({ acceptNew: flags.acceptNew === true, terminal });
  const authority = ownAuthority((line) => terminal.log(line));
  const tell = workTeller(terminal, (info) => void asker.ask(info).then((accept) => queue.answerHostKeys([info], accept)));
  const queue = new InstallQueue({
    ...ownInstallEnv(installationHere()),
    enroll: ({ machine, request }) => authority.admit(machine, request, 'ssh'),
    onChange: (infos) => {
      for (const info of infos) tell(info);
    },
  });
  const onAbort = (): void => void queue.close();
  signal.addEventListener('abort', onAbort);
  try {
    begin(queue);
    await queue.finished();
  } finally {
    asker.close();
    signal.removeEventListener('abort', onAbort);
  }
  tellOutcome(context, queue.infos, flags);
}
