import { parseArgs } from 'node:util';

export const USAGE = 'usage: lanflow agent; --help shows all flags';

export const HELP = `Usage: lanflow agent [flags]

Runs the agent of this machine in the foreground: it starts tasks, watches them and tells how they are. Apps and commands of
the same user find it by themselves. Prints "ready SOCKET MACHINE" when it can be used. SIGTERM or Ctrl-C ends it and its tasks.

  --data FOLDER    where Lanflow keeps its files; LANFLOW_DATA or the system's place for them by default
  --private        for the program that starts it: end, with all tasks, when standard input has ended and nobody else uses it
`;

export interface AgentFlags {
  readonly data: string;
  readonly private: boolean;
}

/** A command line that cannot be understood; the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function parseFlags(args: readonly string[]): AgentFlags {
  const { data, private: isPrivate = false } = parseCommandLine(args);
  if (data === undefined) throw new UsageError('--data is missing');
  return { data, private: isPrivate };
}

function parseCommandLine(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { data: { type: 'string' }, private: { type: 'boolean' } } }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error), { cause: error });
  }
}
