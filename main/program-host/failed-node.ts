import { parseDeviceName, taskName, taskOfDevice } from '#proto/wire/device-name.ts';
import { StatusError, toStatusError } from '#proto/wire/status.ts';
import type { GraphBuilder, Node } from '../client/index.ts';

/** Where a step ran. */
export interface FailedStep {
  readonly graph: GraphBuilder;
  /** Devices that pins decide, by node. */
  readonly devices: ReadonlyMap<string, string>;
  /** The task that was its master. */
  readonly master: string;
}

/** The error of a step with what it is about among its details: `node`, `op`, `device`, `task`, as far as that is known. */
export function withPlace(error: unknown, { graph, devices, master }: FailedStep): StatusError {
  const status = toStatusError(error);
  const node = nodeIn(status.message, graph);
  const device = node ? (devices.get(node.name) ?? node.device) : '';
  const { job, task } = parseDeviceName(device) ?? {};
  const details = {
    ...status.details,
    ...(node && { node: node.name, op: node.type, ...(device && { device }) }),
    task: job === undefined || task === undefined ? master : taskName(job, task),
  };
  return new StatusError(status.code, status.message, { cause: error, derived: status.derived, details });
}

/** The same with the device on which the master has put the node, where the program left that to it. */
export async function withChosenDevice(
  error: StatusError,
  chosenDevice: (node: string) => Promise<string | undefined>,
): Promise<StatusError> {
  const { node, device = '' } = error.details;
  if (node === undefined || parseDeviceName(device)?.index !== undefined) return error;
  const chosen = await chosenDevice(node);
  if (chosen === undefined) return error;
  const details = { ...error.details, device: chosen, task: taskOfDevice(chosen) ?? error.details['task'] ?? '' };
  // The stack is that of the step which failed.
  return Object.assign(new StatusError(error.code, error.message, { cause: error.cause, derived: error.derived, details }), {
    stack: error.stack,
  });
}

/** Servers mark the node in which an error arose with braces; placers and graph checks name it in their own ways. */
const mentions = [/\{\{node ([^}\s]+)\}\}/, /operation ([\w./>-]+)[:\s]/, /[Nn]ode '([^']+)'/, /\[\[([\w./>-]+)[\]\s]/];

function nodeIn(message: string, graph: GraphBuilder): Node | undefined {
  for (const mention of mentions) {
    const node = graph.nodes.get(mention.exec(message)?.[1] ?? '');
    if (node) return node;
  }
  return undefined;
}

/** One line for the log: which node, on which device, asked by whom. Empty when nothing is known. */
export function placeLine({ details: { node, op, device, task } }: StatusError): string {
  if (node !== undefined) return `It arose in node ${node} (${op}) on ${device ?? `a device that ${task}, the master, chose`}`;
  return task === undefined ? '' : `It came from the master ${task}`;
}
