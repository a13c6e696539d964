import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

type Variables = Readonly<Record<string, string | undefined>>;

/** Libraries that an installation may bring besides Lanflow, the better one first. */
const PACKAGES = ['tfjs-node-gpu', 'tfjs-node'];

/** The component of this machine: the one that a variable names, else the one that was installed. It may come and go. */
export function componentFolder({ LANFLOW_COMPONENT: named }: Variables, dataFolder: string): string | undefined {
  if (named) return named;
  const installed = join(dataFolder, 'install', 'components', 'current');
  return existsSync(installed) ? realpathSync(installed) : undefined;
}

/** With these a task finds the component and the libraries that it brings; for its own start, as they count then only. */
export function taskVariables(variables: Variables, dataFolder: string): Variables {
  const component = componentFolder(variables, dataFolder);
  if (component === undefined) return variables;
  const lib = join(component, 'lib');
  if (!existsSync(lib)) return { ...variables, LANFLOW_COMPONENT: component };
  const path = [lib, variables['LD_LIBRARY_PATH'] || []].flat().join(delimiter);
  return { ...variables, LANFLOW_COMPONENT: component, LD_LIBRARY_PATH: path };
}

/** `tfjs-node-gpu 4.22.0`; empty when there is nothing of use in it. */
export async function componentTitle(component: string): Promise<string> {
  for (const name of PACKAGES) {
    const file = join(component, 'node_modules', '@tensorflow', name, 'package.json');
    if (!existsSync(file)) continue;
    const { version }: { version?: unknown } = JSON.parse(await readFile(file, 'utf8'));
    return `${name} ${version}`;
  }
  return '';
}
