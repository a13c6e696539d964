import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gpuBackends, installedBackends } from './backends.ts';
import { type ChannelListener, type DeviceChannel, type OpenChannel, processOpener, type ThreadSetup } from './device-channel.ts';

/** A card as the driver describes it. */
export interface Gpu {
  /** The driver's number, for CUDA_VISIBLE_DEVICES. */
  readonly index: number;
  readonly name: string;
  readonly busId: string;
  readonly computeCapability: string;
  readonly memoryBytes: number;
}

/** How cards are found and reached. */
export interface GpuSupport {
  list(): Promise<Gpu[]>;
  open(gpu: Gpu, setup: ThreadSetup): OpenChannel;
}

const FIELDS = 'index,name,pci.bus_id,compute_cap,memory.total';
const MIB = 1024 * 1024;
const QUERY_TIMEOUT_MS = 5000;
const PROBE_TIMEOUT_MS = 30_000;

/** Real cards: none unless a GPU backend is installed, and one process for each, because the library takes all it sees. */
export function cudaGpus(entry: URL): GpuSupport {
  return {
    list: async () => (installedBackends(gpuBackends, { cores: 1 }).length > 0 ? parseGpus(await query()) : []),
    open: ({ index }, setup) =>
      processOpener(entry, setup, {
        CUDA_VISIBLE_DEVICES: String(index),
        CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
        TF_FORCE_GPU_ALLOW_GROWTH: 'true',
        TF_CPP_MIN_LOG_LEVEL: '1',
      }),
  };
}

async function query(): Promise<string> {
  const { stdout } = await promisify(execFile)('nvidia-smi', [`--query-gpu=${FIELDS}`, '--format=csv,noheader,nounits'], {
    timeout: QUERY_TIMEOUT_MS,
  });
  return stdout;
}

/** Reads nvidia-smi's comma-separated lines; lines that describe no card are left out. */
export function parseGpus(csv: string): Gpu[] {
  return csv.split('\n').flatMap((line) => {
    const [index, name, busId, computeCapability, mebibytes] = line.split(',').map((field) => field.trim());
    if (!index || !name || !busId || !computeCapability || !Number(mebibytes)) return [];
    return [{ index: Number(index), name, busId, computeCapability, memoryBytes: Number(mebibytes) * MIB }];
  });
}

export interface WorkingGpu {
  readonly card: Gpu;
  readonly open: OpenChannel;
}

/** The cards on which the library says that it computes. For each other one, and when there is no list, a line in the log. */
export async function workingGpus(support: GpuSupport, setup: ThreadSetup, log: (text: string) => void): Promise<WorkingGpu[]> {
  try {
    const cards = await support.list();
    const found = await Promise.all(cards.map((card) => probeGpu(card, support.open(card, { ...setup, probe: true }), log)));
    return found.filter((gpu) => gpu !== undefined);
  } catch (error) {
    log(`No GPU is used, because the list of cards cannot be read: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}

/** Starts a channel and waits for its `device` message. The first channel that is opened later is the one started here. */
function probeGpu(card: Gpu, open: OpenChannel, log: (text: string) => void): Promise<WorkingGpu | undefined> {
  const title = `${card.name} (bus ${card.busId})`;
  log(`Starting TensorFlow.js on ${title}`);
  return new Promise((resolve) => {
    const refuse = (why: string) => {
      clearTimeout(timer);
      log(`${title} is not used: ${why}`);
      void first.close();
      resolve(undefined);
    };
    const listener: ChannelListener = {
      message: (message) => {
        if (message.kind === 'log') log(message.text);
        if (message.kind !== 'device') return;
        if (!message.hasGpu) return refuse('TensorFlow.js does not compute on it');
        clearTimeout(timer);
        first.release();
        resolve({ card, open: adopting(first, listener, open) });
      },
      ended: (reason) => refuse(reason.message),
    };
    const first = open({ message: (message) => listener.message(message), ended: (reason) => listener.ended(reason) });
    const timer = setTimeout(() => refuse(`no answer for ${PROBE_TIMEOUT_MS / 1000} s`), PROBE_TIMEOUT_MS);
    first.hold();
  });
}

/** Hands out `first`, redirecting what it says, unless it has ended by then; opens new channels afterwards. */
function adopting(first: DeviceChannel, listener: ChannelListener, open: OpenChannel): OpenChannel {
  let isAvailable = true;
  listener.ended = () => {
    isAvailable = false;
  };
  return (next) => {
    if (!isAvailable) return open(next);
    isAvailable = false;
    Object.assign(listener, next);
    return first;
  };
}
