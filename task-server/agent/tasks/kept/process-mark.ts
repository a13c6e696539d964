import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What tells one process from all others, also from those that get its id later. */
export interface ProcessMark {
  readonly pid: number;
  /** When it began, in the system's own words. */
  readonly began: string;
  /** The start of the system that it belongs to. */
  readonly boot: string;
}

/** Of a process that is there now. */
export function markOf(pid: number): ProcessMark {
  return { pid, began: beginOf(pid), boot: bootId() };
}

/** Whether that very process is there still. */
export function isThere({ pid, began, boot }: ProcessMark): boolean {
  return began !== '' && beginOf(pid) === began && boot === bootId();
}

/** Of the system as it runs now. */
export function bootId(): string {
  if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
}

/** Empty when it is not there, or has ended and only its parent has not noticed. */
function beginOf(pid: number): string {
  try {
    if (process.platform !== 'linux') return ofPs(execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }));
    return ofStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // However it cannot be looked at: it is not a process that this user may signal.
    return '';
  }
}

/** The name before the bracket may have anything in it. */
function ofStat(stat: string): string {
  const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return isOver(state) ? '' : (rest[18] ?? '');
}

function ofPs(line: string): string {
  const [, state = '', began = ''] = /^\s*(\S+)\s+(.*?)\s*$/.exec(line) ?? [];
  return isOver(state) ? '' : began;
}

function isOver(state: string): boolean {
  return /^[ZX]/.test(state);
}
