import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
}

/** As the surroundings of this process say. */
export function ownDataFolder(): string {
  return dataFolder({ env: process.env, platform: process.platform, home: homedir() });
}

/** Where this user's Lanflow keeps everything: LANFLOW_DATA, else the place that the operating system has for it. */
export function dataFolder({ env, platform, home }: Surroundings): string {
  const own = env['LANFLOW_DATA'];
  if (own) return resolve(own);
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'Lanflow');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Lanflow');
  return join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'lanflow');
}
