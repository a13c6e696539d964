import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { PlaceGraphRequest, PlaceGraphResponseSchema } from '#proto/generated/lanflow/task_service_pb.ts';
import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import { GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import { taskOfDevice } from '#proto/wire/device-name.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { DeviceFilters } from './device-filters.ts';
import { findDevices } from './device-finder.ts';
import type { MasterEnv } from './master-env.ts';
import { type PlacementProblem, type PlacementRule, reasonKind, reasonText } from './placement.ts';
import { placeGraph } from './placer.ts';
import { soundGraph } from './sound-graph.ts';

/**
 * Where a new session would put the nodes of a graph, and what stands in the way: each problem, and the places of all other
 * nodes. Fails only when the question makes no sense, or with the signal while it waits for tasks.
 */
export async function previewPlacement(
  env: MasterEnv,
  request: PlaceGraphRequest,
  signal?: AbortSignal,
): Promise<MessageInitShape<typeof PlaceGraphResponseSchema>> {
  const { graphDef = create(GraphDefSchema), task, allowSoftPlacement: soft } = request;
  const rule = request.rule === '' ? env.placement : placementRule(request.rule);
  const filters = new DeviceFilters(request.deviceFilters, task || env.task);
  const imagined = checkDevices(request.device);
  const devices = imagined.length > 0 ? imagined.filter((device) => filters.keepsDevice(device)) : await findDevices(env, filters, signal);
  const tasks = imagined.length > 0 ? tasksOf(imagined) : env.workers.tasks;
  const { graph, problems: faults } = soundGraph(graphDef, env.task);
  const problems = [...faults];
  const onProblem = (problem: PlacementProblem): void => void problems.push(problem);
  const placements = placeGraph(graph, { devices, task: task || env.task, rule, soft, hasKernel: env.hasKernel, onProblem });
  return {
    node: [...placements].map(([name, { device, reason }]) => ({ name, device, reason: reasonText(reason), ...reasonKind(reason) })),
    problem: problems.map(({ node, error: { message: text, code }, colocated }) => ({ node, text, code, colocated: [...colocated] })),
    device: devices.map(({ name }) => name).sort(),
    leftOut: without(tasks, tasksOf(devices)).sort(),
  };
}

function placementRule(text: string): PlacementRule {
  if (text === 'first-task' || text === 'local') return text;
  throw invalidArgument(`'${text}' is no placement rule; there are 'first-task' and 'local'`);
}

function tasksOf(devices: readonly DeviceAttributes[]): readonly string[] {
  return [...new Set(devices.flatMap(({ name }) => taskOfDevice(name) ?? []))];
}

function without(all: readonly string[], some: readonly string[]): string[] {
  return all.filter((each) => !some.includes(each));
}

function checkDevices(devices: readonly DeviceAttributes[]): readonly DeviceAttributes[] {
  const wrong = devices.find(({ name }) => taskOfDevice(name) === undefined);
  if (!wrong) return devices;
  throw invalidArgument(`'${wrong.name}' is not the full name of a device, such as /job:ps/replica:0/task:0/device:CPU:0`);
}
