import { constants, getPriority, setPriority } from 'node:os';
import { toStatusError } from '#proto/wire/status.ts';

/**
 * Lets others go first: the agent, that it answers however much its tasks compute, and whoever sits at the machine. Returns why it
 * could not be done.
 */
export function yieldToOthers(pid: number): string | undefined {
  try {
    // 0 would be this process itself.
    if (pid > 0) setPriority(pid, Math.max(getPriority(pid), constants.priority.PRIORITY_BELOW_NORMAL));
    return undefined;
  } catch (error) {
    return toStatusError(error).message;
  }
}
