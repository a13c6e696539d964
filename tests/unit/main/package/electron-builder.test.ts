import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Configuration } from 'electron-builder';
import { beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../../../package.json' with { type: 'json' };

const file = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const text = (path: string): string => readFileSync(file(path), 'utf8');

/** What electron-builder itself reads and checks a configuration with. */
interface ConfigModule {
  getConfig(folder: string, path: string, overrides: object): Promise<Configuration>;
  validateConfiguration(configuration: Configuration, log: { readonly isEnabled: boolean }): Promise<void>;
}

const ofBuilder = createRequire(createRequire(import.meta.url).resolve('electron-builder'));
const { getConfig, validateConfiguration } = ofBuilder('app-builder-lib/out/util/config/config') as ConfigModule;

describe('electron-builder.yml', () => {
  let config: Configuration;

  beforeAll(async () => {
    config = await getConfig(file('.'), 'electron-builder.yml', {});
  });

  it('is what electron-builder takes', async () => {
    await expect(validateConfiguration(config, { isEnabled: false })).resolves.toBeUndefined();
    await expect(validateConfiguration({ ...config, asra: true } as Configuration, { isEnabled: false })).rejects.toThrow('asra');
  });

  it('leaves name and version to package.json, whose main module is in the archive', () => {
    expect(config.appId).toBe('org.lanflow.app');
    expect(packageJson.productName).toBe('Lanflow');
    expect(packageJson.version).toMatch(/^\d+\.\d+\.\d+/);
    expect([config.productName, config.buildVersion, config.extraMetadata?.version, config.extraMetadata?.main]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(packageJson.main).toBe('dist/shell/index.cjs');
    expect(config.files).toEqual([{ filter: ['dist/shell/*.cjs', 'package.json', '!**/node_modules/**'] }]);
  });

  it.each([
    ['linux', ['deb', 'AppImage']],
    ['win', ['nsis']],
    ['mac', ['dmg']],
  ] as const)('builds for %s, each kind for both architectures', (system, kinds) => {
    const targets = kinds.map((target) => ({ target, arch: ['x64', 'arm64'] }));
    expect(config[system]?.target).toEqual(targets);
  });

  it('asks macOS for the local network by the keys that it wants', () => {
    const keys = config.mac?.extendInfo as Readonly<Record<string, unknown>>;
    expect(keys['NSLocalNetworkUsageDescription']).toMatch(/lab/);
    expect(keys['NSBonjourServices']).toEqual(['_lanflow._tcp']);
  });

  it('opens the firewall of Windows for discovery and tasks, and closes it again', () => {
    expect(config.nsis).toMatchObject({ perMachine: true, include: 'packaging/windows/installer.nsh' });
    const script = text('packaging/windows/installer.nsh');
    const [install = '', uninstall = ''] = script.split('!macro customUnInstall');
    expect(install).toMatch(/add rule name="Lanflow discovery" dir=in action=allow .*protocol=UDP localport=5353/);
    expect(install).toMatch(/add rule name="Lanflow tasks" dir=in action=allow .*protocol=TCP/);
    expect(script).toContain('resources\\lanflow\\node\\node.exe');
    expect(uninstall.match(/delete rule/g)).toHaveLength(2);
    expect(script).not.toContain('profile=any');
  });

  it('never turns the sandbox off', () => {
    expect(config.linux?.executableArgs).toEqual([]);
    // The older tools of AppImage do so by themselves.
    expect(config.toolsets?.appimage).toMatch(/^[1-9]/);
    expect(text('electron-builder.yml')).not.toContain('no-sandbox');
    expect(text('packaging/linux/lanflow')).not.toMatch(/lanflow-app".*--no-sandbox/);
  });

  it('lets the app have its sandbox on Ubuntu: the profile names the program that the start script starts', () => {
    expect(config.deb?.appArmorProfile).toBe('packaging/linux/apparmor-profile');
    expect(text('packaging/linux/apparmor-profile')).toMatch(/profile .*"\/opt\/\$\{sanitizedProductName\}\/lanflow-app".*\n\s+userns,/);
    expect(text('packaging/linux/lanflow')).toContain('exec "$here/lanflow-app" "$@"');
  });

  it('associates runs and graphs by an ending without a dot, and on Linux by those of other versions, too', () => {
    const all = [config.fileAssociations, config.linux?.fileAssociations].flat();
    const endings = all.map((association) => [association?.ext, association?.mimeType]);
    const [run, graph] = ['application/vnd.lanflow.run+zip', 'application/vnd.lanflow.graph+json'];
    expect(endings).toEqual([
      ['lanflowrun', run],
      ['lanflowgraph', graph],
      ['lanflow.zip', run],
      ['lanflow.json', graph],
    ]);
  });

  it('names icons that are there, in the formats of their systems', () => {
    const icons = { linux: config.linux?.icon, win: config.win?.icon, mac: config.mac?.icon };
    expect(icons).toEqual({ linux: 'packaging/icons', win: 'packaging/icon.ico', mac: 'packaging/icon.icns' });
    expect(readFileSync(file('packaging/icon.icns')).toString('latin1', 0, 4)).toBe('icns');
    expect([...readFileSync(file('packaging/icon.ico')).subarray(0, 4)]).toEqual([0, 0, 1, 0]);
    const png = readFileSync(file('packaging/icons/512x512.png'));
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([512, 512]);
  });
});
