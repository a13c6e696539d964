import { join } from 'node:path';
import type { SshLogin, SshTarget } from '#proto/ipc/contract/machines.ts';
import { failedPrecondition } from '#proto/wire/status.ts';
import { readSshConfig } from './config-files.ts';
import type { SshEnv } from './ssh-env.ts';

const SSH_PORT = 22;
/** As OpenSSH's configuration calls the agent of the environment. */
const OWN_AGENT = 'SSH_AUTH_SOCK';

/** What is known of a connection before it is made. */
export interface SshSettings {
  /** As the user calls the machine. */
  readonly name: string;
  /** What is dialled. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Keys that the configuration names for it. */
  readonly identityFiles: readonly string[];
  /** Socket of the SSH agent. */
  readonly agent: string | undefined;
  /** Hosts to go through, the nearest first. */
  readonly jumps: readonly (SshTarget & { readonly user: string })[];
  /** Under which its key is in known_hosts. */
  readonly keyName: string;
  /** The first one is written to. */
  readonly knownHosts: readonly string[];
  readonly hashKnownHosts: boolean;
  /** What becomes of a key that is not known: `accept-new` notes it without a question, `yes` refuses it. */
  readonly strict: 'ask' | 'accept-new' | 'yes';
}

/** A changed key is refused even where OpenSSH would only warn. */
const strictness: Readonly<Record<string, SshSettings['strict']>> = {
  yes: 'yes',
  true: 'yes',
  'accept-new': 'accept-new',
  no: 'accept-new',
  off: 'accept-new',
};

/**
 * What `~/.ssh/config` says of a machine; what the user has said wins. The usual port, 22, counts as not said. FAILED_PRECONDITION
 * when the configuration asks for something that is not done here.
 */
export async function resolveSettings({ host: name, port }: SshTarget, login: Pick<SshLogin, 'user'>, env: SshEnv): Promise<SshSettings> {
  const config = await readSshConfig(env);
  const value = (keyword: string): string | undefined => config.values(name, keyword)[0]?.[0];
  if (isNamed(value('proxycommand')) && value('proxyjump') === undefined) {
    throw failedPrecondition(
      `~/.ssh/config reaches ${name} by ProxyCommand, which Lanflow does not run; name the host between with ProxyJump`,
    );
  }
  const host = (value('hostname') ?? name).replaceAll('%h', name).replaceAll('%%', '%');
  const user = login.user || (value('user') ?? env.userName);
  const path = (text: string): string => expandPath(text, { h: host, r: user, u: env.userName, d: env.home, n: name, '%': '%' });
  const configuredPort = Number(value('port'));
  const realPort = port === SSH_PORT && configuredPort > 0 ? configuredPort : port;
  const agent = value('identityagent') ?? OWN_AGENT;
  const jumps = value('proxyjump');
  const hostFiles = config.values(name, 'userknownhostsfile')[0] ?? ['~/.ssh/known_hosts', '~/.ssh/known_hosts2'];
  return {
    name,
    host,
    port: realPort,
    user,
    identityFiles: config.values(name, 'identityfile').flatMap(([file]) => (isNamed(file) ? [path(file)] : [])),
    agent: agent === OWN_AGENT ? env.agent : isNamed(agent) ? path(agent) : undefined,
    jumps: isNamed(jumps) ? jumps.split(',').map((text) => parseJump(text, name)) : [],
    keyName: knownHostsName(value('hostkeyalias'), host, realPort),
    knownHosts: [...hostFiles.map(path), join(env.systemFolder, 'ssh_known_hosts')],
    hashKnownHosts: value('hashknownhosts')?.toLowerCase() === 'yes',
    strict: strictness[value('stricthostkeychecking')?.toLowerCase() ?? ''] ?? 'ask',
  };
}

function isNamed(text: string | undefined): text is string {
  return text !== undefined && text.toLowerCase() !== 'none';
}

function expandPath(text: string, tokens: Readonly<Record<string, string>>): string {
  return text.replace(/^~(?=[/\\])/, '%d').replace(/%([hrudn%])/g, (_, token: string) => tokens[token] ?? '');
}

function knownHostsName(alias: string | undefined, host: string, port: number): string {
  return (alias ?? (port === SSH_PORT ? host : `[${host}]:${port}`)).toLowerCase();
}

/** `user@host:port`, also as a URL. */
function parseJump(text: string, name: string): SshSettings['jumps'][number] {
  const [, user = '', bracketed, plain, port] =
    /^(?:ssh:\/\/)?(?:([^@]+)@)?(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) throw failedPrecondition(`~/.ssh/config: ProxyJump of ${name}: '${text.trim()}' is no [USER@]HOST[:PORT]`);
  return { host, user, port: port === undefined ? SSH_PORT : Number(port) };
}
