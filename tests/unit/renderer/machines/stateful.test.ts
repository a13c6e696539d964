import { describe, expect, it } from 'vitest';
import type { EventName, Events } from '#proto/ipc/contract.ts';
import type * as StatusModule from '#proto/wire/status.ts';
import type { Core } from '../../../../renderer/api/core.ts';
import type * as AttemptModule from '../../../../renderer/stores/attempt.svelte.ts';
import type * as DialogModule from '../../../../renderer/stores/machine-dialog.svelte.ts';
import type * as StoreModule from '../../../../renderer/stores/machines.svelte.ts';
import { importRuneModules } from '../../../support/rune-module.ts';
import { installOn, machineOf } from './machine-of.ts';

type Modules = typeof AttemptModule & typeof DialogModule & typeof StoreModule & typeof StatusModule;

const stores = ['attempt', 'machine-dialog', 'machines'].map((name) => `renderer/stores/${name}.svelte.ts`);
const { Attempt, MachineDialog, MachinesStore, permissionDenied } = await importRuneModules<Modules>([...stores, 'proto/wire/status.ts']);

describe('the machines', () => {
  const listeners = new Map<string, (payload: never) => void>();
  const core = {
    call: async () => [],
    on: (name: string, listener: (payload: never) => void) => {
      listeners.set(name, listener);
      return () => undefined;
    },
  } as unknown as Core;
  const store = new MachinesStore(core);
  const tell = <N extends EventName>(name: N, payload: Events[N]) => listeners.get(name)?.(payload as never);

  it('follow what the core tells of them', () => {
    tell('machines.changed', {
      machines: [machineOf({ id: 'a', name: 'a' }), machineOf({ id: 'b', state: 'installable' }), machineOf({ id: 'c', state: 'lost' })],
    });
    expect([store.online, store.installable].map((some) => some.map(({ id }) => id))).toEqual([['a'], ['b']]);
    expect(store.find('c')?.state).toBe('lost');
    expect([store.nameAt({ host: '10.0.4.11' }), store.nameAt({ host: '10.0.4.99' })]).toEqual(['a', '']);
    tell('machines.discoveryChanged', { problem: 'port 5353 is taken' });
    expect(store.discovery.value?.problem).toBe('port 5353 is taken');
  });

  it('are not installed on twice at a time', () => {
    tell('machines.changed', { machines: [machineOf({ state: 'installable' })] });
    tell('machines.installing', { installs: [installOn('10.0.4.11')] });
    expect([store.installable, store.workOn(machineOf())?.stage]).toEqual([[], 'uploading']);
    tell('machines.installing', { installs: [installOn('10.0.4.11', { stage: 'failed' })] });
    expect([store.installable.length, store.workOn(machineOf())]).toEqual([1, undefined]);
  });
});

describe('the dialog about machines', () => {
  it('stays when one that it has taken the place of closes late', () => {
    const dialog = new MachineDialog();
    const add = { kind: 'add', target: '' } as const;
    dialog.open(add);
    dialog.open({ kind: 'probe' });
    dialog.close(add);
    expect(dialog.wish).toEqual({ kind: 'probe' });
    if (dialog.wish) dialog.close(dialog.wish);
    expect(dialog.wish).toBeUndefined();
  });
});

describe('an attempt', () => {
  it('says that it is under way, what came of it, and why it failed', async () => {
    const attempt = new Attempt();
    const failing = attempt.run(() => Promise.reject(permissionDenied('wrong PIN, 2 tries left')));
    expect(attempt.busy).toBe(true);
    expect(await failing).toBeUndefined();
    expect([attempt.busy, attempt.error?.message]).toEqual([false, 'wrong PIN, 2 tries left']);
    expect(await attempt.run(async () => 7)).toBe(7);
    expect(attempt.error).toBeUndefined();
  });
});
