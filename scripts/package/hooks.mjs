/** What electron-builder calls (electron-builder.yml), for each system and architecture. */
import { chmod, copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stage } from './stage.mjs';

const startScript = fileURLToPath(new URL('../../packaging/linux/lanflow', import.meta.url));
/** As electron-builder numbers them. */
const archs = { 1: 'x64', 3: 'arm64' };

/** Adds what runs outside of Electron: other processes cannot look into the archive of the app. */
export async function afterPack({ electronPlatformName: platform, appOutDir, packager, arch }) {
  if (!(arch in archs)) throw new Error(`Lanflow is not packaged for architecture ${arch}`);
  await stage({ platform, arch: archs[arch] }, join(packager.getResourcesDir(appOutDir), 'lanflow'));
  if (platform === 'linux') await addStartScript(appOutDir, packager.executableName);
}

/** On Linux a script starts the app, under the name that menus and links know. */
async function addStartScript(folder, name) {
  await rename(join(folder, name), join(folder, 'lanflow-app'));
  await copyFile(startScript, join(folder, name));
  await chmod(join(folder, name), 0o755);
}
