import type { Command } from 'commander';
import type { Pins, RunPlan } from '#proto/ipc/contract.ts';
import { parseDeviceName } from '#proto/wire/device-name.ts';
import { invalidArgument } from '#proto/wire/status.ts';

/** The flags that say how any program is run. */
export interface PlanFlags {
  readonly interval?: string;
  readonly watch?: readonly string[];
  readonly traceEvery?: string;
  readonly pin?: readonly string[];
}

export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export function addPlanOptions(command: Command): void {
  command
    .option('--interval <ms>', 'least time from one step of a client to its next, in milliseconds')
    .option('--watch <tensor>', 'variable or tensor to plot, such as w, loss:0 or w[0,2] (may be repeated)', collect)
    .option('--trace-every <n>', 'trace every n-th step of a client')
    .option('--pin <node=device>', "where a node runs, or all of a scope, such as 'layer1/=/job:worker/task:0' (may be repeated)", collect);
}

export function planOf({ interval, watch, traceEvery }: PlanFlags): RunPlan {
  return {
    ...(interval !== undefined && { interval: count('--interval', interval) }),
    ...(watch && { watch }),
    ...(traceEvery !== undefined && { traceEvery: count('--trace-every', traceEvery) }),
  };
}

export function pinsOf({ pin = [] }: PlanFlags): Pins {
  return Object.fromEntries(
    pin.map((text) => {
      const [name = '', ...rest] = text.split('=');
      const device = rest.join('=');
      if (name !== '' && rest.length > 0 && parseDeviceName(device)) return [name, device];
      throw invalidArgument(`--pin: '${text}' is not of the form NODE=DEVICE, such as w=/job:ps/task:0`);
    }),
  );
}

/** A whole number from 0 on. */
export function count(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidArgument(`${flag}: '${text}' is no whole number from 0 on`);
}
