import { availableParallelism } from 'node:os';
import { create } from '@bufbuild/protobuf';
import { DeviceAttributesSchema, DeviceLocalitySchema } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import { formatDeviceName } from '#proto/wire/device-name.ts';
import { newIncarnation } from '#proto/wire/ids.ts';
import type { Device, DeviceType } from '../engine/device.ts';
import type { KernelRegistry } from '../engine/kernel-registry.ts';
import { ResourceManager } from '../engine/resource-manager.ts';
import { cpuBackends, gpuBackends, installedBackends } from './backends.ts';
import { INLINE_UNITS, POSTING_UNITS } from './cost.ts';
import { type OpenChannel, type ThreadSetup, threadOpener } from './device-channel.ts';
import { cudaGpus, type GpuSupport, type WorkingGpu, workingGpus } from './gpus.ts';
import { ThreadComputer } from './thread-computer.ts';

export interface DevicesOptions {
  readonly job: string;
  readonly task: number;
  readonly replica?: number;
  /** Cards to pretend, in the open: each is a thread of this process. They come after the real ones. */
  readonly virtualDevices?: { readonly GPU?: number };
  readonly kernels: KernelRegistry;
  /** The built program of device threads. */
  readonly threadEntry: URL;
  readonly log: (text: string) => void;
  /** Bytes that each CPU and virtual device reports as its limit. Default: what TensorFlow reports for a CPU. */
  readonly memoryLimit?: number;
  /** Cores to use. Default: all that this process may use. */
  readonly cores?: number;
  /** Backends of CPU and virtual devices, best first. Default: every installed one that beats our own code. */
  readonly backends?: readonly string[];
  /** Where real cards come from. Default: CUDA through TensorFlow.js, when that is installed. */
  readonly gpus?: GpuSupport;
}

const CPU_MEMORY_LIMIT = 268_435_456;

/** What a device is before it has a name. */
interface DevicePlan {
  readonly type: DeviceType;
  readonly index: number;
  readonly description: string;
  readonly memoryLimit: number;
  readonly backend: string;
  readonly open: OpenChannel;
  readonly threads: number;
  readonly inlineUnits: number;
}

/**
 * The devices of one task: CPU:0, then the real cards, then the virtual ones. Without cards no thread is started and no
 * library loaded before a heavy call needs it. The caller disposes each device's computer and resources.
 */
export async function createDevices(options: DevicesOptions): Promise<Device[]> {
  const cards = await cardPlans(options);
  const plans = [cpuPlan(options), ...cards, ...virtualPlans(options, cards.length)];
  return plans.map((plan) => makeDevice(options, plan));
}

function cpuPlan(options: DevicesOptions): DevicePlan {
  const cores = coresOf(options);
  const setup = threadSetup(options, 'CPU', cores);
  return {
    type: 'CPU',
    index: 0,
    description: `${cores} cores, ${backendText(setup)}`,
    memoryLimit: options.memoryLimit ?? CPU_MEMORY_LIMIT,
    backend: backendText(setup),
    open: threadOpener(options.threadEntry, setup),
    threads: cores,
    inlineUnits: INLINE_UNITS,
  };
}

function virtualPlans(options: DevicesOptions, firstIndex: number): DevicePlan[] {
  const count = options.virtualDevices?.GPU ?? 0;
  const setup = threadSetup(options, 'GPU', Math.max(1, Math.floor(coresOf(options) / count)));
  return Array.from({ length: count }, (_, i) => ({
    type: 'GPU',
    index: firstIndex + i,
    description: `virtual device ${i}: no card, but a thread of this machine's CPU; ${backendText(setup)}`,
    memoryLimit: options.memoryLimit ?? CPU_MEMORY_LIMIT,
    backend: backendText(setup),
    open: threadOpener(options.threadEntry, setup),
    threads: 1,
    inlineUnits: POSTING_UNITS,
  }));
}

async function cardPlans({ gpus, threadEntry, log }: DevicesOptions): Promise<DevicePlan[]> {
  const setup: ThreadSetup = { backends: gpuBackends, cores: 1, type: 'GPU' };
  return (await workingGpus(gpus ?? cudaGpus(threadEntry), setup, log)).map(cardPlan);
}

function cardPlan({ card, open }: WorkingGpu, index: number): DevicePlan {
  const { name, busId, computeCapability, memoryBytes } = card;
  return {
    type: 'GPU',
    index,
    description: `device: ${index}, name: ${name}, pci bus id: ${busId}, compute capability: ${computeCapability}`,
    memoryLimit: memoryBytes,
    backend: gpuBackends.join(),
    open,
    threads: 1,
    inlineUnits: POSTING_UNITS,
  };
}

function makeDevice(options: DevicesOptions, plan: DevicePlan): Device {
  const { type, index } = plan;
  const { job, task, replica = 0, kernels, log } = options;
  const name = formatDeviceName({ job, replica, task, type, index });
  const incarnation = newIncarnation();
  return {
    name,
    type,
    incarnation,
    attributes: create(DeviceAttributesSchema, {
      name,
      deviceType: type,
      memoryLimit: BigInt(plan.memoryLimit),
      locality: create(DeviceLocalitySchema),
      incarnation,
      physicalDeviceDesc: plan.description,
      xlaGlobalId: -1n,
    }),
    resources: new ResourceManager(job),
    computer: new ThreadComputer({
      backend: plan.backend,
      type,
      kernels,
      inlineUnits: plan.inlineUnits,
      pool: { device: name, size: plan.threads, open: plan.open, log },
    }),
  };
}

function coresOf({ cores = availableParallelism() }: DevicesOptions): number {
  return cores;
}

function threadSetup({ backends = cpuBackends }: DevicesOptions, type: DeviceType, cores: number): ThreadSetup {
  const installed = installedBackends(backends, { cores });
  return { backends: installed.map(({ name }) => name), cores, type };
}

/** `onnxruntime, tfjs-wasm, own kernels` */
function backendText({ backends }: ThreadSetup): string {
  return [...backends, 'own kernels'].join(', ');
}
