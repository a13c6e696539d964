import { pathToFileURL } from 'node:url';
import { bundlePath } from '../../program-host/bundles.ts';
import { ownDataFolder } from '../../store/data-folder.ts';

export const AGENT_SUMMARY =
  'run the agent of this machine in the foreground: its lab can use it then, and tasks outlive the apps and commands that start them';

interface AgentBundle {
  main(args: readonly string[]): Promise<number>;
}

/** The agent, in this process: the command line starts its bundle and gets out of the way. */
export async function runAgent(args: readonly string[]): Promise<number> {
  const bundle: AgentBundle = await import(pathToFileURL(bundlePath('task-server/agent.js')).href);
  // Who types this may be the only one to pair the machine; a program that starts a private agent is not.
  const forPeople = args.includes('--private') ? [] : ['--lan', '--pairing'];
  // A folder that is given later on the command line wins.
  return bundle.main(['--data', ownDataFolder(), ...forPeople, ...args]);
}
