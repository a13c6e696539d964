import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';

/** Where the built parts are that run outside of Electron's own process. */
export interface BuiltParts {
  /** The Node that runs the core. */
  readonly node: string;
  readonly coreEntry: string;
  /** Folder with the window's files. */
  readonly window: string;
}

export interface PartsEnv {
  /** Folder of the shell's or the embedding's own bundle, in `dist`. */
  readonly folder: string;
  /** Electron's folder of resources. */
  readonly resources: string;
  readonly platform: NodeJS.Platform;
  /** Wanted by whoever starts it. */
  readonly node?: string | undefined;
}

const PACKED = `${sep}app.asar${sep}`;

/**
 * The parts beside a bundle. Another process cannot look into Electron's archives: the packaged app has its parts in its resources
 * (see electron-builder.yml); a host application that is packed must have unpacked this package.
 */
export function findParts({ folder, resources, platform, node }: PartsEnv): BuiltParts {
  const shipped = join(resources, 'lanflow');
  const isOwnApp = folder === join(resources, 'app.asar', 'dist', 'shell');
  const root = isOwnApp ? shipped : join(folder.replace(PACKED, `${sep}app.asar.unpacked${sep}`), '..', '..');
  const dist = join(root, 'dist');
  return {
    node: node || shippedNode(root, platform) || 'node',
    coreEntry: join(dist, 'core', 'index.js'),
    window: join(dist, 'renderer'),
  };
}

/** Packaged builds bring a Node of their own. */
function shippedNode(root: string, platform: NodeJS.Platform): string | undefined {
  const path = join(root, 'node', platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(path) ? path : undefined;
}
