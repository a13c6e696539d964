import { connectTcp, type TcpOutcome } from '#proto/discovery/connect-tcp.ts';
import type { Interfaces } from '#proto/discovery/interfaces.ts';
import { cancelled } from '#proto/wire/status.ts';
import type { Discovery } from '../discovery/discovery.ts';
import type { FoundMachine } from '../discovery/machine-table.ts';
import { resolveHost } from '../discovery/resolve-host.ts';
import { type Diagnosis, decide } from './decide.ts';
import type { AgentHello, Facts } from './facts.ts';
import { findPlace } from './find-place.ts';

export interface DiagnoseOptions {
  /** Name or address, as the user gives it. */
  readonly target: string;
  /** Of the agent, where it has not announced another one. */
  readonly port: number;
  readonly discovery: Pick<Discovery, 'machines' | 'problem' | 'lookUp'>;
  readonly interfaces: Interfaces;
  readonly own: Facts['own'];
  /** Asks the agent who it is; undefined when what answers is no agent. */
  readonly hello: (address: string, port: number, signal: AbortSignal) => Promise<AgentHello | undefined>;
  readonly signal: AbortSignal;
}

/** Longer than the system takes to find out that nobody has an address. */
const CONNECT_MS = 4500;
const SSH_PORT = 22;

/** Why is this machine missing? Looks at one thing after the other; takes ten seconds at most. */
export async function diagnose(options: DiagnoseOptions): Promise<Diagnosis & { readonly facts: Facts }> {
  const facts = await gather(options);
  if (options.signal.aborted) throw cancelled(`The diagnosis of ${options.target} was stopped`);
  return { ...decide(facts), facts };
}

async function gather(options: DiagnoseOptions): Promise<Facts> {
  const { target, discovery, interfaces, own, signal } = options;
  const here = discovery.machines.filter(({ isHere }) => isHere);
  const announced = here.find((each) => isCalled(each, target));
  const addresses = announced ? announced.addresses : await resolveHost(target, options);
  const found = announced ?? here.find((each) => each.addresses.some((address) => addresses.includes(address)));
  const port = found?.port ?? options.port;
  const base = {
    target,
    network: discovery.problem.code,
    addresses,
    port,
    own,
    isAnnounced: found !== undefined,
    others: here.length - (found ? 1 : 0),
  };
  const [address] = addresses;
  if (address === undefined) return base;
  const place = await findPlace(address, interfaces);
  if (place === 'no route') return { ...base, address, place };
  const knock = (at: number): Promise<TcpOutcome> => connectTcp(address, at, { timeout: CONNECT_MS, signal });
  const [agentPort, sshPort] = await Promise.all([knock(port), knock(SSH_PORT)]);
  const agent = agentPort === 'open' ? await options.hello(address, port, signal) : undefined;
  return { ...base, address, place, agentPort, sshPort, ...(agent && { agent }) };
}

function isCalled({ title, name, machine, addresses }: FoundMachine, target: string): boolean {
  return [title, name, machine].some((each) => each.toLowerCase() === target.toLowerCase()) || addresses.includes(target);
}
