import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { type Bundle, bundleFor } from './bundle/bundle.ts';
import { ownSource } from './bundle/contents.ts';
import type { Platform } from './bundle/platform.ts';
import { componentOf } from './component/component.ts';
import type { InstallQueueOptions } from './install-queue.ts';
import { type OwnSurroundings, sshSurroundings } from './ssh/ssh-env.ts';

export interface OwnInstallation extends OwnSurroundings {
  /** Holds `dist` and `node_modules` of this Lanflow. */
  readonly root: string;
  /** Lanflow's data folder; bundles are kept in a folder of it. */
  readonly dataFolder: string;
  readonly version: string;
}

/** Lanflow as it runs here. `root` holds `dist` and `node_modules`. */
export function ownInstallation(root: string, dataFolder: string): OwnInstallation {
  const { platform, env } = process;
  return { root, dataFolder, version: packageJson.version, env, platform, home: homedir(), userName: userInfo().username };
}

/** What an install queue needs of this machine and its user. */
export function ownInstallEnv(own: OwnInstallation): Pick<InstallQueueOptions, 'ssh' | 'bundleFor' | 'componentOf'> {
  return {
    ssh: sshSurroundings(own),
    bundleFor: (platform) => ownBundle(platform, own),
    componentOf: (folder, platform) => componentOf(folder.replace(/^~(?=$|[\\/])/, own.home), platform, bundlesFolder(own)),
  };
}

/** The bundle for a platform, made of this Lanflow. */
export async function ownBundle(platform: Platform, { root, dataFolder, version }: OwnInstallation): Promise<Bundle> {
  const shipped = join(root, 'bundles');
  return bundleFor(platform, { source: ownSource(root), folder: bundlesFolder({ dataFolder }), shipped, version });
}

/**
 * For an installation on this machine itself: bundles stay only where the user has some already, of installing on others. `work` gets what
 * stands for this Lanflow then.
 */
export async function withOwnBundles<T>(own: OwnInstallation, work: (own: OwnInstallation) => Promise<T>): Promise<T> {
  if (existsSync(bundlesFolder(own))) return work(own);
  const dataFolder = await mkdtemp(join(tmpdir(), 'lanflow-install-'));
  try {
    return await work({ ...own, dataFolder });
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
}

function bundlesFolder({ dataFolder }: Pick<OwnInstallation, 'dataFolder'>): string {
  return join(dataFolder, 'bundles');
}
