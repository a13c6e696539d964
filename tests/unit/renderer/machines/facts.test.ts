import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../../renderer/features/machines/machine-facts.ts';
import { catalogues } from '../../../../renderer/locales/catalogues.ts';
import type { Text } from '../../../../renderer/locales/i18n.svelte.ts';
import { fillMessage } from '../../../../renderer/locales/message.ts';
import { machineOf } from './machine-of.ts';

const style = { plural: new Intl.PluralRules('en'), number: new Intl.NumberFormat('en') };
const text: Text = (key, ...[values]) => fillMessage(catalogues.en[key], values ?? {}, style);
const facts = (values: Parameters<typeof machineOf>[0], now = 13_000) =>
  Object.fromEntries(factsOf(machineOf(values), { text, message: (sentence) => sentence }, now).map(({ label, value }) => [label, value]));

describe('the facts about a machine', () => {
  it('name what it has', () => {
    expect(facts({ gpus: ['RTX 4070'], versions: { agent: '1.2', node: '20.1' }, addresses: ['10.0.4.11', 'fe80::1'] })).toMatchObject({
      Addresses: '10.0.4.11\nfe80::1',
      "Agent's port": '7500',
      Cores: '8 cores',
      GPUs: 'RTX 4070',
      Versions: 'agent 1.2\nnode 20.1',
      'Last heard': '12 s ago',
    });
  });

  it('name its engines and where they are, or what to do', () => {
    const engine = { version: '2.21.0', title: 'conda: lab', path: '/home/ada/miniconda3/envs/lab', problem: '' };
    const bundled = { name: 'bundled', version: '1.0', title: '', path: '', problem: '' } as const;
    expect(facts({ engines: [bundled, { name: 'tensorflow', ...engine }] })['Engines']).toBe(
      'bundled\nTensorFlow 2.21.0 (conda: lab)\n/home/ada/miniconda3/envs/lab',
    );
    const missing = { ...bundled, name: 'tensorflow', version: '', problem: 'Install it' } as const;
    expect(facts({ engines: [missing] })['Engines']).toBe('Install it');
  });

  it('leave out what is not known', () => {
    const unknown = { cores: 0, memoryTotal: 0, diskTotal: 0, system: '', port: 22, seenAt: 0 } as const;
    expect(facts({ ...unknown, state: 'installable' })).toEqual({
      Addresses: '10.0.4.11',
      'SSH port': '22',
      'Last heard': 'never',
      Id: 'lab-01',
    });
  });

  it('tell of a clock that is off by more than a second', () => {
    expect(facts({ clockOffset: 3200 })['Clock']).toBe('3.2 s ahead of this machine');
    expect(facts({ clockOffset: -65_000 })['Clock']).toBe('1 min 5 s behind this machine');
    expect(facts({ clockOffset: 900 })).not.toHaveProperty('Clock');
  });
});
