import { AgentService, type TaskSetup } from '#proto/generated/lanflow/agent_pb.ts';
import { failedPrecondition, invalidArgument, permissionDenied } from '#proto/wire/status.ts';
import type { Machine } from '../machine/machine.ts';
import type { PairingDesk } from '../pairing/pairing-desk.ts';
import { checkReach } from '../reach/check-reach.ts';
import type { Disturbance } from '../tasks/supervised-task.ts';
import type { Supervisor, Task } from '../tasks/supervisor.ts';
import type { MachineTrust } from '../trust/machine-trust.ts';
import { type RpcMethod, rpcMethod } from './rpc-method.ts';

export interface AgentMethodsEnv {
  /** Where its callers come from: programs of this user on this machine, or users of the lab on others. */
  readonly door: 'local' | 'lab';
  readonly machine: Machine;
  readonly supervisor: Supervisor;
  readonly trust: MachineTrust;
  /** Undefined when nobody could come to pair: the agent does not answer other machines. */
  readonly desk: PairingDesk | undefined;
}

const DISTURBANCES: readonly string[] = ['kill', 'pause', 'resume'] satisfies Disturbance[];
const MAX_PORT = 65_535;
const PAGE = 2000;

/** All unary calls of the control service, as one door offers them. */
export function agentMethods(env: AgentMethodsEnv): readonly RpcMethod[] {
  return [...taskMethods(env), ...labMethods(env)];
}

function taskMethods({ supervisor }: AgentMethodsEnv): readonly RpcMethod[] {
  const { method } = AgentService;
  /** What was answered counts for the next agent too. */
  const noted = async (task: Task): Promise<Task> => {
    await supervisor.noted(task.id);
    return task;
  };
  return [
    rpcMethod(method.reservePorts, async ({ port }) => {
      const wrong = port.find((each) => each > MAX_PORT);
      if (wrong !== undefined) throw invalidArgument(`${wrong} cannot be a port`);
      return { port: [...(await supervisor.reservePorts(port))] };
    }),
    rpcMethod(method.startTask, async (setup) => noted(supervisor.start(checkedSetup(setup)))),
    rpcMethod(method.stopTask, async ({ id }) => {
      await supervisor.stop(id);
      return {};
    }),
    rpcMethod(method.restartTask, async ({ id, setup }) => noted(supervisor.restart(id, setup && checkedSetup(setup)))),
    rpcMethod(method.setRestart, async ({ id, restart }) => noted(supervisor.setRestart(id, restart))),
    rpcMethod(method.disturbTask, async ({ id, how }) => noted(supervisor.disturb(id, checkedDisturbance(how)))),
    rpcMethod(method.setOpening, ({ id, network, seconds }) => supervisor.setOpening(id, network, seconds)),
    rpcMethod(method.getLogs, async ({ id, from, lines: most }) => {
      const { lines, total } = supervisor.logs(id, from, most || PAGE);
      return { line: [...lines], total };
    }),
  ];
}

function labMethods({ door, trust, desk }: AgentMethodsEnv): readonly RpcMethod[] {
  const { method } = AgentService;
  return [
    rpcMethod(method.checkReach, async ({ address }) => ({ reach: [...(await checkReach(address))] })),
    rpcMethod(method.requestCertificate, () => trust.requestCertificate()),
    rpcMethod(method.setTrust, async (given) => {
      await trust.accept(given, door === 'local' ? 'owner' : 'lab');
      return {};
    }),
    rpcMethod(method.renew, async (renewal) => ({ certificate: await trust.renewals.leave(renewal) })),
    rpcMethod(method.listRenewals, async () => ({ renewal: [...trust.renewals.open] })),
    rpcMethod(method.answerRenewal, async ({ certificate }) => {
      await trust.renewals.answer(certificate);
      return {};
    }),
    rpcMethod(method.openPairing, async () => {
      if (door !== 'local') throw permissionDenied('A PIN is shown only to people at the machine itself');
      if (!desk)
        throw failedPrecondition('This agent does not answer other machines: start it with "lanflow agent", and pair with that one');
      return desk.open();
    }),
  ];
}

/** Ids become part of names that people read, and of a command line. */
function checkedSetup(setup: TaskSetup): TaskSetup {
  if (!/^[\w.-]{1,100}$/.test(setup.cluster)) throw invalidArgument(`'${setup.cluster}' cannot be the id of a cluster`);
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(setup.job)) throw invalidArgument(`'${setup.job}' cannot be the name of a job`);
  return setup;
}

function checkedDisturbance(how: string): Disturbance {
  // It is one of them, which TypeScript cannot follow through a list of texts.
  if (DISTURBANCES.includes(how)) return how as Disturbance;
  throw invalidArgument(`'${how}' is none of ${DISTURBANCES.join(', ')}`);
}
