import type { InstallableMachine } from '../../../main/machines/discovery/installable.ts';
import type { FoundMachine } from '../../../main/machines/discovery/machine-table.ts';
import type { AdvertisedAgent } from '../../../task-server/agent/advertise/records.ts';
import type { TaskChild } from '../../support/task-child.ts';
import type { LabMachine } from './machine.ts';
import { program } from './program.ts';

export interface SeenEvent {
  readonly kind: 'up' | 'changed' | 'lost' | 'problem' | 'installable' | 'ready';
  readonly machine: FoundMachine;
  readonly machines: readonly InstallableMachine[];
  readonly isRestarted: boolean;
  readonly code: string;
  readonly message: string;
}

export interface TestBrowser {
  readonly child: TaskChild;
  /** The first event from now on, or since the last one that was asked for, which is like that. */
  event(kind: SeenEvent['kind'], isLike?: (event: SeenEvent) => boolean): Promise<SeenEvent>;
}

let starts = 0;

/** An agent's announcement on a machine. */
export async function advertise(
  machine: LabMachine,
  agent: Partial<AdvertisedAgent> & { ttl?: number; silent?: boolean } = {},
): Promise<TaskChild> {
  const full = {
    machine: `id-${machine.name}`,
    startId: `start-${++starts}`,
    name: machine.hostName,
    versions: { lanflow: '0.1.0' },
    fingerprint: '',
    lab: '',
    port: 7450,
    ...agent,
  };
  const child = machine.spawn(process.execPath, [program('advertise'), JSON.stringify(full)]);
  await child.line((line) => line === 'ready');
  return child;
}

export async function browse(machine: LabMachine): Promise<TestBrowser> {
  const child = machine.spawn(process.execPath, [program('browse')]);
  const event: TestBrowser['event'] = async (kind, isLike = () => true) => {
    const line = await child.line((text) => {
      const each: SeenEvent = JSON.parse(text);
      return each.kind === kind && isLike(each);
    });
    return JSON.parse(line);
  };
  await event('ready');
  return { child, event };
}

/** Milliseconds until it resolves. */
export async function timed(promise: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await promise;
  return performance.now() - start;
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
