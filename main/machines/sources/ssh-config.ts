import { parseSshConfig as parseConfig } from '#proto/files/ssh-config.ts';
import { type KnownHost, SSH_PORT } from './known-host.ts';

/**
 * Machines that `~/.ssh/config` names: each `Host` without wildcards, with what the first matching blocks say of it, as OpenSSH
 * reads it. `Match` blocks and included files are left out.
 */
export function parseSshConfig(content: string): readonly KnownHost[] {
  const config = parseConfig(content);
  return config.names.map((name) => {
    const value = (keyword: string): string | undefined => config.values(name, keyword)[0]?.[0];
    const address = (value('hostname') ?? name).replaceAll('%h', name).replaceAll('%%', '%');
    const port = Number(value('port') ?? SSH_PORT);
    const user = value('user');
    return {
      name,
      address,
      port: Number.isInteger(port) && port > 0 && port < 65_536 ? port : SSH_PORT,
      source: 'ssh config',
      ...(user && { user }),
    };
  });
}
