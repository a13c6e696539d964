/** A host key that nothing is known of yet. */
export interface HostKeyQuestion {
  /** As the user calls it; of a jump host its own name. */
  readonly host: string;
  /** `ssh-ed25519` */
  readonly type: string;
  /** As `ssh-keygen -lf` prints it. */
  readonly fingerprint: string;
}

/** What connections need of the user and of this machine. */
export interface SshEnv {
  readonly home: string;
  /** The name of the user here. */
  readonly userName: string;
  /** SSH_AUTH_SOCK; undefined when no agent runs. */
  readonly agent?: string | undefined;
  /** OpenSSH's folder for all users, `/etc/ssh`. */
  readonly systemFolder: string;
  /** Resolves to whether the user trusts the key; it is noted in known_hosts then. Nothing is sent there before. */
  readonly askHostKey: (question: HostKeyQuestion) => Promise<boolean>;
}

export interface OwnSurroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly userName: string;
}

/** How a user of this machine connects. */
export function sshSurroundings({ env, platform, home, userName }: OwnSurroundings): Omit<SshEnv, 'askHostKey'> {
  const isWindows = platform === 'win32';
  return {
    home,
    userName,
    agent: env['SSH_AUTH_SOCK'] || (isWindows ? '\\\\.\\pipe\\openssh-ssh-agent' : undefined),
    systemFolder: isWindows ? `${env['ProgramData'] ?? 'C:\\ProgramData'}\\ssh` : '/etc/ssh',
  };
}
