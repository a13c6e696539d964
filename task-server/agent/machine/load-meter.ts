import { statfs } from 'node:fs/promises';
import { cpus, freemem, loadavg, networkInterfaces, totalmem } from 'node:os';
import { ownAddresses, ownNetworks } from '#proto/discovery/interfaces.ts';
import { toStatusError } from '#proto/wire/status.ts';

export interface MachineLoad {
  /** Share of all cores in use since the last measurement, 0 to 1; at first the system's own average, where it has one. */
  readonly cpu: number;
  /** Bytes. */
  readonly memoryTotal: number;
  readonly memoryFree: number;
  readonly diskTotal: number;
  readonly diskFree: number;
  readonly time: number;
  /** Under which other machines reach this one. */
  readonly address: readonly string[];
  /** The same with the size of their subnet: `10.0.0.5/24`. */
  readonly network: readonly string[];
}

/** Where the machine is on the LAN now. */
export function ownPlaces(): Pick<MachineLoad, 'address' | 'network'> {
  const interfaces = networkInterfaces();
  return { address: ownAddresses(interfaces), network: ownNetworks(interfaces) };
}

/** Measures what of the machine is in use. */
export class LoadMeter {
  readonly #folder: string;
  readonly #log: (line: string) => void;
  #before: CpuTimes | undefined;
  #hasComplained = false;

  /** `folder`: on the disk that is measured. */
  constructor(folder: string, log: (line: string) => void) {
    this.#folder = folder;
    this.#log = log;
  }

  async measure(): Promise<MachineLoad> {
    const [before, now] = [this.#before, cpuTimes()];
    this.#before = now;
    return {
      cpu: before ? usage(before, now) : Math.min(1, (loadavg()[0] ?? 0) / Math.max(1, cpus().length)),
      memoryTotal: totalmem(),
      memoryFree: freemem(),
      ...(await this.#disk()),
      time: Date.now(),
      ...ownPlaces(),
    };
  }

  async #disk(): Promise<Pick<MachineLoad, 'diskTotal' | 'diskFree'>> {
    try {
      const { blocks, bavail, bsize } = await statfs(this.#folder);
      return { diskTotal: blocks * bsize, diskFree: bavail * bsize };
    } catch (error) {
      if (!this.#hasComplained) this.#log(`The disk of ${this.#folder} cannot be measured: ${toStatusError(error).message}`);
      this.#hasComplained = true;
      return { diskTotal: 0, diskFree: 0 };
    }
  }
}

interface CpuTimes {
  readonly idle: number;
  readonly total: number;
}

function usage(before: CpuTimes, now: CpuTimes): number {
  const total = now.total - before.total;
  return total > 0 ? 1 - (now.idle - before.idle) / total : 0;
}

function cpuTimes(): CpuTimes {
  const times = cpus().map((cpu) => cpu.times);
  const total = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { idle: times.reduce((sum, { idle }) => sum + idle, 0), total };
}
