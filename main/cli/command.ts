import type { Command } from 'commander';
import { cancelled, type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { Terminal } from './terminal.ts';

export interface CommandContext {
  readonly terminal: Terminal;
  /** Makes the exit code 1. */
  fail(): void;
}

/** Adds one command to the command line. */
export type AddCommand = (program: Command, context: CommandContext) => void;

/**
 * The action of a command: Ctrl-C and SIGTERM abort its signal, and whatever it rejects with becomes one line on stderr and
 * exit code 1.
 */
export function action<A extends unknown[]>(
  name: string,
  { terminal, fail }: CommandContext,
  work: (signal: AbortSignal, ...args: A) => Promise<void>,
): (...args: A) => Promise<void> {
  return async (...args) => {
    const stop = new AbortController();
    const onSignal = (): void => stop.abort(cancelled('Stopped by the user'));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
    try {
      await work(stop.signal, ...args);
    } catch (error) {
      terminal.log(`lanflow ${name}: ${errorLine(toStatusError(error))}`);
      fail();
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
    }
  };
}

function errorLine({ codeName, message }: StatusError): string {
  return `${codeName}: ${message.replaceAll(/\s*\n\s*/g, ' ')}`;
}
