import { symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EngineFacts, Engines } from '../../../../../task-server/agent/machine/engines.ts';
import { FakeHome } from '../../tensorflow/fake-pythons.ts';

let home: FakeHome;
let told: (readonly EngineFacts[])[];

beforeEach(async () => {
  home = await FakeHome.make();
  told = [];
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await home.remove();
});

const bundled = { name: 'bundled', version: '1.2.3', title: '', path: '', problem: '' };

function open(variables: Record<string, string> = {}): Engines {
  const find = home.env({ LANFLOW_DATA: '/data', ...variables });
  const fail = (line: string): never => {
    throw new Error(line);
  };
  return new Engines({ find, dataFolder: home.path('data'), version: '1.2.3', onFound: (engines) => told.push(engines), log: fail });
}

describe('the engines of a machine', () => {
  it('are the bundled one and the TensorFlow that tasks would take', async () => {
    const path = await home.environment('miniconda3/envs/lab', { tensorflow: 'tensorflow-2.21.0.dist-info' });
    await home.environment('miniconda3/envs/older', { tensorflow: 'tensorflow-2.10.0.dist-info' });
    await open().look();
    expect(told).toEqual([[bundled, { name: 'tensorflow', version: '2.21.0', title: 'conda: lab', path, problem: '' }]]);
  });

  it('name the component that the bundled one computes with, as soon as it is installed', async () => {
    const engines = open();
    await engines.look();
    const component = await home.component('data/install/components/0123456789abcdef', 'tfjs-node-gpu', '4.22.0');
    await symlink('0123456789abcdef', home.path('data/install/components/current'));
    vi.advanceTimersByTime(10_000);
    await engines.look();
    expect(told.map(([first]) => first)).toEqual([bundled, { ...bundled, title: 'tfjs-node-gpu 4.22.0', path: component }]);
  });

  it('say what to do where TensorFlow is missing', async () => {
    await open().look();
    await open({ LANFLOW_LIBTENSORFLOW: '/no/library' }).look();
    const [[, none], [, wrong]] = told as [EngineFacts[], EngineFacts[]];
    expect(none?.problem).toBe(
      'No TensorFlow was found in Python or conda: install it (pip install tensorflow-cpu), or write the folder of the environment that has it into /data/environments.txt',
    );
    expect(wrong?.problem).toContain('no libtensorflow at /no/library');
  });

  it('are looked for again after a while, and told when they have changed', async () => {
    const engines = open();
    await engines.look();
    await home.environment('miniconda3', { tensorflow: 'tensorflow-2.21.0.dist-info' });
    await engines.look();
    expect(told).toHaveLength(1);
    vi.advanceTimersByTime(10_000);
    await engines.look();
    vi.advanceTimersByTime(10_000);
    await engines.look();
    expect(told).toHaveLength(2);
    expect(told[1]?.[1]).toMatchObject({ version: '2.21.0', problem: '' });
  });
});
