import { existsSync } from 'node:fs';
import { ip, tryCommand } from './command.ts';

/** Of a network namespace: whose it is, so that one whose owner is gone can be told. */
export function spaceName(lab: number, name: string): string {
  return `lanflow-${process.pid}-${lab}-${name}`;
}

/** Network namespaces of labs whose process is gone. Their processes went with it. */
export async function removeStaleLabs(): Promise<void> {
  for (const name of await spaceNames()) {
    const owner = Number(/^lanflow-(\d+)-/.exec(name)?.[1]);
    // Another process may remove it at the same time.
    if (owner && !existsSync(`/proc/${owner}`)) await tryCommand('ip', ['netns', 'delete', name]);
  }
}

export async function spaceNames(): Promise<readonly string[]> {
  return (await ip('netns', 'list')).split('\n').map((line) => line.split(' ')[0] ?? '');
}
