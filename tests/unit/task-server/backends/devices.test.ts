import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gpuBackends, installedBackends } from '../../../../task-server/backends/backends.ts';
import { processOpener } from '../../../../task-server/backends/device-channel.ts';
import { createDevices, type DevicesOptions } from '../../../../task-server/backends/devices.ts';
import { type Gpu, type GpuSupport, parseGpus } from '../../../../task-server/backends/gpus.ts';
import type { Device } from '../../../../task-server/engine/device.ts';
import { KernelRegistry } from '../../../../task-server/engine/kernel-registry.ts';
import { type BuiltEntry, buildEntry } from './support/build-entry.ts';
import { call, meetingPoint, testKernels } from './support/test-kernels.ts';

let entry: BuiltEntry;
let double: BuiltEntry;
let devices: Device[] = [];
let lines: string[] = [];

beforeAll(async () => {
  entry = await buildEntry('tests/unit/task-server/backends/support/test-thread.ts');
  double = await buildEntry('tests/unit/task-server/backends/support/gpu-double.ts');
});

afterAll(() => {
  entry.remove();
  double.remove();
});

afterEach(() => Promise.all(devices.map((device) => device.computer.dispose())));

async function start(options: Partial<DevicesOptions> = {}): Promise<Device[]> {
  lines = [];
  const kernels = new KernelRegistry(testKernels);
  devices = await createDevices({ job: 'w', task: 1, kernels, threadEntry: entry.url, log: (text) => lines.push(text), ...options });
  return devices;
}

const noCards: GpuSupport = {
  list: async () => [],
  open: () => {
    throw new Error('there is no card');
  },
};

describe('CPU:0', () => {
  it('is described as TensorFlow describes its CPU', async () => {
    const [cpu] = await start({ gpus: noCards });
    expect(cpu?.name).toBe('/job:w/replica:0/task:1/device:CPU:0');
    expect(cpu?.attributes).toMatchObject({
      name: cpu?.name,
      deviceType: 'CPU',
      memoryLimit: 268435456n,
      locality: { busId: 0 },
      incarnation: cpu?.incarnation,
      xlaGlobalId: -1n,
    });
    expect(cpu?.resources.defaultContainer).toBe('w');
  });

  it('has another incarnation after each start, and is the only device by default', async () => {
    const first = await start({ gpus: noCards });
    const second = await start({ gpus: noCards });
    expect(first).toHaveLength(1);
    expect(first[0]?.incarnation).not.toBe(0n);
    expect(first[0]?.incarnation).not.toBe(second[0]?.incarnation);
  });

  it('names only the backends that are installed', async () => {
    const [cpu] = await start({ gpus: noCards, backends: ['tfjs-node', 'tfjs-wasm', 'no-such'] });
    expect(cpu?.computer.backend).toBe('tfjs-wasm, own kernels');
  });
});

describe('virtual GPUs', () => {
  it('say in their description that they are virtual', async () => {
    const [, first, second] = await start({ gpus: noCards, virtualDevices: { GPU: 2 } });
    expect(first?.name).toBe('/job:w/replica:0/task:1/device:GPU:0');
    expect(second?.name).toBe('/job:w/replica:0/task:1/device:GPU:1');
    expect(second?.attributes).toMatchObject({ deviceType: 'GPU', physicalDeviceDesc: expect.stringContaining('virtual device 1') });
  });

  it('compute at the same time as each other', async () => {
    const [, ...cards] = await start({ gpus: noCards, virtualDevices: { GPU: 2 } });
    const point = meetingPoint();
    await expect(Promise.all(cards.map(({ computer }) => computer.run(call('Meet', [point]))))).resolves.toEqual([[], []]);
  });
});

describe('real GPUs', () => {
  const card = (index: number): Gpu => ({
    index,
    name: 'Test card',
    busId: `00000000:0${index}:00.0`,
    computeCapability: '9.0',
    memoryBytes: 2 ** 33,
  });

  const doubles = (brokenCard: string): GpuSupport => ({
    list: async () => [card(0), card(1), card(2)],
    open: ({ index }, setup) => processOpener(double.url, setup, { CUDA_VISIBLE_DEVICES: String(index), DOUBLE_BROKEN_CARD: brokenCard }),
  });

  it('get a process each, come before the virtual ones, and are left out when the library does not compute on them', async () => {
    const [, first, second, virtual] = await start({ gpus: doubles('1'), virtualDevices: { GPU: 1 } });
    expect(devices).toHaveLength(4);
    expect(first?.attributes).toMatchObject({
      memoryLimit: 2n ** 33n,
      physicalDeviceDesc: 'device: 0, name: Test card, pci bus id: 00000000:00:00.0, compute capability: 9.0',
    });
    expect(second?.name).toBe('/job:w/replica:0/task:1/device:GPU:1');
    expect(second?.attributes.physicalDeviceDesc).toContain('bus id: 00000000:02:00.0');
    expect(virtual?.attributes.physicalDeviceDesc).toContain('virtual device 0');
    expect(lines).toContain('Test card (bus 00000000:01:00.0) is not used: TensorFlow.js does not compute on it');
    const ids = await Promise.all([first, second].map(async (each) => (await each?.computer.run(call('ProcessId')))?.[0]?.data[0]));
    expect(new Set([...ids, process.pid]).size).toBe(3);
  });

  it.skipIf(installedBackends(gpuBackends, { cores: 1 }).length > 0)('are none where no GPU library is installed', async () => {
    expect(await start()).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  it('are none, with a line in the log, when the driver cannot be asked', async () => {
    const list = () => Promise.reject(new Error('spawn nvidia-smi ENOENT'));
    expect(await start({ gpus: { ...noCards, list } })).toHaveLength(1);
    expect(lines).toEqual(['No GPU is used, because the list of cards cannot be read: spawn nvidia-smi ENOENT']);
  });

  it("are read from the driver's lines", () => {
    expect(parseGpus('0, NVIDIA H200, 00000000:1B:00.0, 9.0, 143771\n\n')).toEqual([
      { index: 0, name: 'NVIDIA H200', busId: '00000000:1B:00.0', computeCapability: '9.0', memoryBytes: 143771 * 2 ** 20 },
    ]);
    expect(parseGpus('No devices were found\n')).toEqual([]);
  });
});
