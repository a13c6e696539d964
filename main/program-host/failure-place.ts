import { basename } from 'node:path';

/** Where in its source a program failed, `PATH:12:9`: the innermost line of the error's stack that is in it. Undefined where no line is. */
export function failurePlace(error: unknown, module: string): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const name = basename(module).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const place = new RegExp(`^ +at .*[/\\\\]${name}(:\\d+:\\d+)\\)?$`, 'm').exec(stack)?.[1];
  return place && `${module}${place}`;
}
