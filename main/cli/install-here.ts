import { homedir } from 'node:os';
import { failedPrecondition } from '#proto/wire/status.ts';
import type { Platform } from '../install/bundle/platform.ts';
import { workplaceHere } from '../install/here/workplace-here.ts';
import { install, type WorkEnv } from '../install/install.ts';
import { installedMessage } from '../install/messages.ts';
import { ownInstallEnv, withOwnBundles } from '../install/own-env.ts';
import { dataFolder, ownDataFolder } from '../store/data-folder.ts';
import { labHere } from './lab-here.ts';
import { ownEnroll } from './own-lab.ts';
import { installationHere } from './remote-work.ts';

export interface InstallHereOptions {
  readonly component: string | undefined;
  readonly log: (line: string) => void;
}

/** Installs the agent on this machine, and makes it one of the user's own lab if there is one. Resolves to what is there then. */
export async function installHere(env: WorkEnv, { component, log }: InstallHereOptions): Promise<string> {
  const own = installationHere();
  const place = workplaceHere(own);
  checkDataFolder();
  const enroll = await ownEnroll(log);
  const installed = await withOwnBundles(own, (from) => {
    const { bundleFor, componentOf } = ownInstallEnv(from);
    const componentFor = component === undefined ? undefined : (platform: Platform) => componentOf(component, platform);
    return install(place, { ...env, enroll, bundleFor, componentFor });
  });
  return `${installedMessage(installed)}. ${enroll ? 'It is a machine of your lab' : membership(await labHere(log))}`;
}

function membership(lab: string | undefined): string {
  if (lab) return `It belongs to lab ${lab}`;
  const where = lab === '' ? 'It belongs to no lab yet:' : 'If it belongs to no lab yet,';
  return `${where} lanflow agent --pin shows a PIN here, to be typed in Lanflow on the computer of whoever runs the lab`;
}

/** An app that keeps its files elsewhere would not find the agent. */
function checkDataFolder(): void {
  const [own, usual] = [ownDataFolder(), dataFolder({ env: {}, platform: process.platform, home: homedir() })];
  if (own === usual) return;
  throw failedPrecondition(
    `An installed agent keeps its files in ${usual}, and Lanflow is told to have them in ${own}: install again without LANFLOW_DATA and XDG_DATA_HOME`,
  );
}
