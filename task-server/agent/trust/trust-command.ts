import { text } from 'node:stream/consumers';
import { AgentService } from '#proto/generated/lanflow/agent_pb.ts';
import { invalidArgument, toStatusError } from '#proto/wire/status.ts';
import { callOwnAgent } from '../control/own-agent.ts';
import { machineId } from '../state/machine-id.ts';
import type { GivenTrust } from './check-trust.ts';
import { MachineTrust } from './machine-trust.ts';

const { method } = AgentService;

/** One line of JSON: the id of this machine, and a request for its certificate. Whether an agent runs makes no difference. */
export async function requestTrust(dataFolder: string, warn: (line: string) => void): Promise<string> {
  const asked =
    (await callOwnAgent(dataFolder, method.requestCertificate, {})) ?? (await (await open(dataFolder, warn)).requestCertificate());
  return JSON.stringify({ machine: asked.machine, request: asked.request });
}

/** Takes what stands in the JSON. Rejects as `MachineTrust.accept` does, and with INVALID_ARGUMENT for what is no such JSON. */
export async function acceptTrust(dataFolder: string, json: string, warn: (line: string) => void): Promise<void> {
  const given = parse(json);
  if (await callOwnAgent(dataFolder, method.setTrust, given)) return;
  await (await open(dataFolder, warn)).accept(given, 'owner');
}

export function readInput(): Promise<string> {
  return text(process.stdin);
}

async function open(dataFolder: string, warn: (line: string) => void): Promise<MachineTrust> {
  return MachineTrust.open({ dataFolder, machine: await machineId(dataFolder), warn });
}

function parse(json: string): GivenTrust {
  const value = parseObject(json);
  const field = (name: keyof GivenTrust): string => {
    const found = value[name];
    if (typeof found === 'string') return found;
    throw invalidArgument(`"${name}" is missing in the JSON on standard input: it must be a text`);
  };
  return {
    ...{ lab: field('lab'), certificate: field('certificate') },
    ...{ authority: field('authority'), handovers: field('handovers'), revocations: field('revocations') },
  };
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch (error) {
    throw invalidArgument(`What stands on standard input is no JSON: ${toStatusError(error).message}`, { cause: error });
  }
  throw invalidArgument('What stands on standard input is no object');
}
