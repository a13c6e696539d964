import type { DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { AgentService, type TaskSetup } from '#proto/generated/lanflow/agent_pb.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import type { Disturbance } from '../tasks/supervised-task.ts';
import type { Supervisor } from '../tasks/supervisor.ts';

/** One unary call from message to message. */
export interface AgentMethod {
  readonly descriptor: DescMethodUnary;
  handle(request: never): Promise<unknown>;
}

const DISTURBANCES: readonly string[] = ['kill', 'pause', 'resume'] satisfies Disturbance[];
const MAX_PORT = 65_535;
const PAGE = 2000;

/** All unary calls of the control service. */
export function agentMethods(supervisor: Supervisor): readonly AgentMethod[] {
  const { method } = AgentService;
  return [
    unary(method.reservePorts, async ({ port }) => {
      const wrong = port.find((each) => each > MAX_PORT);
      if (wrong !== undefined) throw invalidArgument(`${wrong} cannot be a port`);
      return { port: [...(await supervisor.reservePorts(port))] };
    }),
    unary(method.startTask, async (setup) => supervisor.start(checkedSetup(setup))),
    unary(method.stopTask, async ({ id }) => {
      await supervisor.stop(id);
      return {};
    }),
    unary(method.restartTask, async ({ id, setup }) => supervisor.restart(id, setup && checkedSetup(setup))),
    unary(method.setRestart, async ({ id, restart }) => supervisor.setRestart(id, restart)),
    unary(method.disturbTask, async ({ id, how }) => supervisor.disturb(id, checkedDisturbance(how))),
    unary(method.getLogs, async ({ id, from, lines: most }) => {
      const { lines, total } = supervisor.logs(id, from, most || PAGE);
      return { line: [...lines], total };
    }),
  ];
}

function unary<M extends DescMethodUnary>(
  descriptor: M,
  handle: (request: MessageShape<M['input']>) => Promise<MessageInitShape<M['output']>>,
): AgentMethod {
  return { descriptor, handle };
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
