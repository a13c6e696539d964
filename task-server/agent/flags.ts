import { parseArgs } from 'node:util';
import { AGENT_PORT } from '#proto/discovery/agent-port.ts';

export const USAGE = 'usage: lanflow agent; --help shows all flags';

export const HELP = `Usage: lanflow agent [flags]
       lanflow agent --pin
       lanflow agent trust request | accept

Runs the agent of this machine in the foreground: it starts tasks, watches them and tells how they are. Apps and commands of
the same user find it by themselves; other machines of its lab reach it over the LAN. Prints "ready SOCKET MACHINE" when it can
be used. SIGTERM or Ctrl-C ends it and its tasks.

As long as the machine belongs to no lab, it prints "pairing PIN 042 817" too: type the PIN in Lanflow on your own computer, and
this machine becomes part of your lab. Then it prints "lab ID".

  --data FOLDER    where Lanflow keeps its files; LANFLOW_DATA or the system's place for them by default
  --lan            answer other machines; "lanflow agent" does so by itself
  --local          do not answer other machines
  --port N         where to answer them: ${AGENT_PORT} by default, or any free port when that one is taken; 0: any free one
  --listen ADDR    the address to answer them at; all of this machine by default
  --keep-tasks     tasks go on when it ends, and the next agent with this flag has them; only Ctrl-C (SIGINT) ends them too
  --pairing        show a PIN at the start if the machine belongs to no lab; "lanflow agent" does so by itself
  --private        for the program that starts it: end, with all tasks, when standard input has ended and nobody else uses it

  --pin            have the agent that runs show a new PIN, good for three tries within two minutes

  trust request    print, as one line of JSON, the id of this machine and a request for a certificate: {"machine", "request"}
  trust accept     read from standard input what a lab has made of it: {"lab", "certificate", "authority", "handovers", "revocations"}
`;

export interface RunFlags {
  readonly command: 'run';
  readonly data: string;
  readonly private: boolean;
  readonly keepsTasks: boolean;
  /** Undefined: other machines are not answered. */
  readonly lan: { readonly listen: string | undefined; readonly port: number } | undefined;
  readonly pairing: boolean;
}

export type AgentFlags = RunFlags | { readonly command: 'pin' | 'trust request' | 'trust accept'; readonly data: string };

/** A command line that cannot be understood; the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function parseFlags(args: readonly string[]): AgentFlags {
  const { values, positionals } = parseCommandLine(args);
  const { data, lan = false, local = false, pin = false, pairing = false } = values;
  if (data === undefined) throw new UsageError('--data is missing');
  if (positionals.length > 0) return { command: trustCommand(positionals.join(' ')), data };
  if (pin) return { command: 'pin', data };
  const isPrivate = values.private ?? false;
  if (isPrivate && lan && !local) throw new UsageError('--private: an agent that answers other machines belongs to no single program');
  const keepsTasks = values['keep-tasks'] ?? false;
  if (isPrivate && keepsTasks) throw new UsageError('--private: the tasks of such an agent end with it');
  if (keepsTasks && process.platform === 'win32') throw new UsageError('--keep-tasks: on Windows tasks end with their agent');
  const port = parsePort(values.port);
  return {
    command: 'run',
    data,
    private: isPrivate,
    keepsTasks,
    lan: lan && !local ? { listen: values.listen, port } : undefined,
    pairing,
  };
}

function trustCommand(text: string): 'trust request' | 'trust accept' {
  if (text === 'trust request' || text === 'trust accept') return text;
  throw new UsageError(`"${text}" is none of "trust request" and "trust accept"`);
}

function parsePort(text: string | undefined): number {
  if (text === undefined) return AGENT_PORT;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--port: "${text}" is no port`);
}

function parseCommandLine(args: readonly string[]) {
  const [flag, text] = [{ type: 'boolean' }, { type: 'string' }] as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        data: text,
        lan: flag,
        local: flag,
        port: text,
        listen: text,
        pairing: flag,
        private: flag,
        'keep-tasks': flag,
        pin: flag,
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error), { cause: error });
  }
}
