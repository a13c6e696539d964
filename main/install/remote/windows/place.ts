import { Code, toStatusError } from '#proto/wire/status.ts';
import type { SshConnection } from '../../ssh/ssh-connection.ts';
import { quoteForPowerShell, runPowerShell } from './powershell.ts';

/** Where a user of Windows keeps the data of programs; undefined when the machine does not run Windows. */
export async function findLocalAppData(ssh: SshConnection, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { stdout } = await runPowerShell(ssh, "say ([Environment]::GetFolderPath('LocalApplicationData'))", { signal });
    return /^[A-Z]:\\.+$/im.exec(stdout)?.[0];
  } catch (error) {
    if (toStatusError(error).code === Code.FAILED_PRECONDITION) return undefined;
    throw error;
  }
}

/** Where everything of an installation lies. */
export interface WindowsPlace {
  /** Variables of PowerShell, `$data` and `$install`; scripts begin with it. */
  readonly script: string;
  /** A file of `install`, as SFTP names it. */
  sftp(file: string): string;
}

/** The data folder is the one that the installed agent uses by default. */
export function windowsPlace(localAppData: string): WindowsPlace {
  const data = `${localAppData}\\Lanflow`;
  return {
    script: `$data=${quoteForPowerShell(data)}\n$install="$data\\install"`,
    sftp: (file) => `/${data.replaceAll('\\', '/')}/install/${file}`,
  };
}
