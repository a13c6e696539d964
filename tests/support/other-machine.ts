import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { startChild, type TaskChild } from './task-child.ts';

/** A network namespace beside this one: programs there have an address that is neither loopback nor one of this machine. */
export interface OtherMachine {
  /** How this machine reaches it, and how it sees this machine. */
  readonly address: string;
  readonly ownAddress: string;
  start(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): TaskChild;
  dispose(): void;
}

const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });

/** Network namespaces need root, on Linux. */
export const canHaveOtherMachine = process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('ip', ['-V']).status === 0;

/** How tests that need another machine are named; `npm test` counts and explains those it skips. */
export function withOtherMachine(name: string): string {
  return canHaveOtherMachine ? name : `[needs root] ${name}`;
}

export function makeOtherMachine(): OtherMachine {
  const id = randomInt(1 << 20).toString(36);
  const [space, near, far] = [`lft${id}`, `lfn${id}`, `lff${id}`];
  const subnet = `10.${randomInt(100, 250)}.${randomInt(1, 250)}`;
  const [ownAddress, address] = [`${subnet}.1`, `${subnet}.2`];
  const dispose = (): void => {
    ip('netns', 'delete', space);
    spawnSync('ip', ['link', 'delete', near]);
  };
  ip('netns', 'add', space);
  try {
    ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', space);
    ip('address', 'add', `${ownAddress}/30`, 'dev', near);
    ip('link', 'set', near, 'up');
    ip('-n', space, 'address', 'add', `${address}/30`, 'dev', far);
    ip('-n', space, 'link', 'set', far, 'up');
    ip('-n', space, 'link', 'set', 'lo', 'up');
  } catch (error) {
    dispose();
    throw error;
  }
  return {
    address,
    ownAddress,
    start: (program, args, env = {}) => startChild({ program: 'ip', args: ['netns', 'exec', space, program, ...args], env }),
    dispose,
  };
}
