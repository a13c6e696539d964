import { once } from 'node:events';
import type { Identity } from '#proto/trust/identity.ts';
import { invalidArgument, toStatusError } from '#proto/wire/status.ts';
import { type HostPort, parseAddress } from '../../client/session/channel.ts';
import { type Gate, openGate } from '../../cluster/gateway/gate.ts';
import { type AddCommand, action } from '../command.ts';
import { ownCredentials, type TlsFlags } from '../own-lab.ts';
import { formatJson } from '../terminal.ts';

interface GatewayFlags extends TlsFlags {
  readonly to: readonly string[];
  readonly port: string;
  readonly json?: true;
}

const MAX_PORT = 65_535;

export const addGatewayCommand: AddCommand = (program, context) => {
  program
    .command('gateway')
    .description('gives clients that speak plain text only a port of this machine for each remote task, until Ctrl-C')
    .requiredOption('--to <host:port>', 'a task of the lab (may be repeated)', (address: string, all: readonly string[] = []) => [
      ...all,
      address,
    ])
    .option('--port <port>', 'of 127.0.0.1, for the first task, and those that follow for the others; any free ones by default', '0')
    .option('--tls-cert <file>', "your certificate; by default LANFLOW_TLS_CERT, else your lab's")
    .option('--tls-key <file>', 'its key')
    .option('--tls-ca <file>', "the lab's authority")
    .option('--tls-crl <file>', 'certificates that are revoked')
    .option('--json', 'as JSON')
    .action(
      action('gateway', context, async (signal, flags: GatewayFlags) => {
        const { terminal } = context;
        const places = flags.to.map(parsePlace);
        const first = parsePort(flags.port);
        const log = (line: string): void => terminal.log(line);
        const credentials = await ownCredentials(flags, log);
        const gates: Gate[] = [];
        try {
          for (const [at, place] of places.entries()) {
            gates.push(await openGate({ to: () => place, localPort: first === 0 ? 0 : first + at, credentials, log }));
          }
          const rows = await Promise.all(gates.map((gate, at) => describe(gate, flags.to[at] ?? '', log)));
          if (flags.json) terminal.print(formatJson(rows));
          else
            for (const { target, name, address } of rows) terminal.print(`gateway ${target} → ${name === '' ? '' : `${name} `}${address}`);
          if (!signal.aborted) await once(signal, 'abort');
        } finally {
          await Promise.all(gates.map((gate) => gate.close()));
        }
      }),
    );
};

/** A task that is not there yet has no name; its gate waits for it. */
async function describe(gate: Gate, address: string, log: (line: string) => void) {
  const who = await gate.identify().catch((error: unknown): readonly Identity[] => {
    log(`${toStatusError(error).message}; the gate stays open for when it is there`);
    return [];
  });
  const task = who.find(({ kind }) => kind === 'task');
  return { target: gate.target, name: task?.name ?? who.map(({ kind, name }) => `${kind} ${name}`).join(' '), address };
}

function parsePlace(text: string): HostPort {
  const place = parseAddress(text.replace(/^grpc:\/\//, ''));
  if (place) return place;
  throw invalidArgument(`--to: '${text}' is no HOST:PORT`);
}

function parsePort(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= MAX_PORT) return Number(text);
  throw invalidArgument(`--port: '${text}' is no port`);
}
