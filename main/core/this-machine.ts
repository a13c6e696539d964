import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { arch, cpus, freemem, hostname, networkInterfaces, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import type { MachineInfo } from '#proto/ipc/contract.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];
/** Where NVIDIA's driver for Linux lists its cards. */
const NVIDIA_CARDS = '/proc/driver/nvidia/gpus';

/** The computer that this core runs on. */
export class ThisMachine {
  readonly id: string;
  readonly #gpus = gpuNames();
  #before = cpuTimes();

  constructor(id: string) {
    this.id = id;
  }

  /** The load is that of the time since the last call. */
  info(): MachineInfo {
    const [before, now] = [this.#before, cpuTimes()];
    this.#before = now;
    const total = now.total - before.total;
    return {
      id: this.id,
      name: hostname(),
      isThis: true,
      addresses: addresses(),
      system: `${type()} ${release()} ${arch()}`,
      cores: cpus().length,
      memoryTotal: totalmem(),
      memoryFree: freemem(),
      load: total > 0 ? 1 - (now.idle - before.idle) / total : 0,
      gpus: this.#gpus,
    };
  }

  /** Whether tasks at this host run here. */
  isHost(host: string): boolean {
    return LOOPBACK.includes(host) || host === hostname() || host === this.id || addresses().includes(host);
  }
}

function addresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).filter(({ internal }) => !internal).map(({ address }) => address),
  );
}

function cpuTimes(): { readonly idle: number; readonly total: number } {
  const times = cpus().map((cpu) => cpu.times);
  const total = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { idle: times.reduce((sum, { idle }) => sum + idle, 0), total };
}

function gpuNames(): readonly string[] {
  if (!existsSync(NVIDIA_CARDS)) return [];
  return readdirSync(NVIDIA_CARDS).map((card) => {
    const facts = readFileSync(join(NVIDIA_CARDS, card, 'information'), 'utf8');
    return /^Model:\s*(.+)$/m.exec(facts)?.[1] ?? card;
  });
}
