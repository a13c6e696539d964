import type { MachineInfo } from '#proto/ipc/contract.ts';

export interface Meter {
  readonly kind: 'load' | 'memoryUsed' | 'disk';
  /** In use, 0 to 100. */
  readonly percent: number;
  readonly tone: 'calm' | 'warn' | 'bad';
  /** Bytes; 0 for the load. */
  readonly free: number;
  readonly total: number;
}

const WARN = 85;
const BAD = 95;

/** What of a machine is in use, as far as that is known. A busy processor is what machines are for; full memory and disks are not. */
export function metersOf({ load, memoryTotal, memoryFree, diskTotal, diskFree }: MachineInfo): readonly Meter[] {
  const space = [
    { kind: 'memoryUsed', free: memoryFree, total: memoryTotal },
    { kind: 'disk', free: diskFree, total: diskTotal },
  ] as const;
  const meters = space
    .filter(({ total }) => total > 0)
    .map(({ kind, free, total }) => {
      const percent = Math.round((1 - free / total) * 100);
      return { kind, percent, tone: percent >= BAD ? 'bad' : percent >= WARN ? 'warn' : 'calm', free, total } as const;
    });
  return [{ kind: 'load', percent: Math.round(Math.min(1, Math.max(0, load)) * 100), tone: 'calm', free: 0, total: 0 }, ...meters];
}
