import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentEvent, AgentService, type Machine } from '#proto/generated/lanflow/agent_pb.ts';
import { Credentials } from '#proto/trust/credentials.ts';
import { secureDial } from '#proto/trust/dialler.ts';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import type { LabAuthority } from '../../main/machines/lan/authority.ts';
import { pairMachine } from '../../main/machines/lan/pair-machine.ts';
import { Rpc, type RpcTarget } from '../../main/machines/rpc.ts';
import { agentAddress, launchAgent } from './agent.ts';
import type { TaskChild } from './task-child.ts';
import type { TlsLab } from './tls-lab.ts';

/** An agent that answers other machines, at an address of this machine only. */
export interface LanAgent {
  readonly data: string;
  readonly machine: string;
  readonly port: number;
  readonly child: TaskChild;
  /** As a program of its own user on its machine. */
  readonly own: Rpc;
  /** In plain text, as anybody. */
  readonly stranger: Rpc;
  /** By TLS, with this certificate. */
  as(files: TlsFiles): Rpc;
  /** Makes it a machine of the lab, by a PIN. */
  join(lab: { readonly lab: TlsLab['lab'] | Pick<LabAuthority, 'admit'> }): Promise<void>;
  close(): Promise<void>;
}

export async function startLanAgent(flags: readonly string[] = []): Promise<LanAgent> {
  const data = await mkdtemp(join(tmpdir(), 'lanflow-lan-agent-'));
  const child = launchAgent(data, ['--lan', '--listen', '127.0.0.1', '--port', '0', ...flags], { LANFLOW_DATA: data });
  const machine = (await child.line((line) => line.startsWith('ready '))).split(' ')[2] ?? '';
  const { socket, token, port = 0 } = await agentAddress(data);
  const opened: Rpc[] = [];
  const open = (target: Omit<RpcTarget, 'name'>): Rpc => {
    const rpc = new Rpc({ name: 'The agent', ...target });
    opened.push(rpc);
    return rpc;
  };
  const target = `dns:127.0.0.1:${port}`;
  const own = open({ target: `unix:${socket}`, metadata: { 'lanflow-token': token } });
  return {
    data,
    machine,
    port,
    child,
    own,
    stranger: open({ target }),
    as: (files) => open({ target, secure: secureDial(new Credentials(files, () => undefined), { machine }) }),
    async join({ lab }) {
      const { pin } = await own.unary(AgentService.method.openPairing, {});
      await pairMachine({
        target: { target, name: 'The agent' },
        machine,
        pin,
        lab: 'admit' in lab ? lab : { admit: (name, request) => admit(lab, name, request) },
      });
    },
    async close() {
      for (const rpc of opened) rpc.close();
      child.kill('SIGTERM');
      await child.ended;
      await rm(data, { recursive: true });
    },
  };
}

/** What a lab gives to a machine upon its request. */
export async function admit(lab: TlsLab['lab'], machine: string, request: string) {
  return { lab: (await lab.facts()).id, ...(await lab.sign(request, [{ kind: 'machine', name: machine }])) };
}

/** What an agent tells of its machine before anything else. */
export function machineOf(rpc: Rpc): Promise<Machine> {
  const stop = new AbortController();
  return new Promise((resolve, reject) => {
    const onMessage = ({ event }: AgentEvent): void => {
      stop.abort();
      if (event.case === 'snapshot' && event.value.machine) resolve(event.value.machine);
      else reject(new Error(`The agent began with ${event.case}`));
    };
    rpc.stream(AgentService.method.events, { keep: false }, { signal: stop.signal, onMessage }).catch(reject);
  });
}
