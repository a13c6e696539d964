import { type DeviceSpec, formatDeviceName, parseDeviceName, satisfies } from '#proto/wire/device-name.ts';

export interface PresentDevices {
  /** Full names of the devices that a session uses. */
  readonly available: readonly string[];
  /** Names of the tasks that its device filters leave out. */
  readonly leftOut: readonly string[];
}

/** Why none of the devices is what a (partial) device name asks for: `but …`; undefined when one is. */
export function missingDevice(wanted: string, { available, leftOut }: PresentDevices): string | undefined {
  const wish = parseDeviceName(wanted);
  if (!wish) return 'which is no device name; an example of one is /job:ps/task:0/device:CPU:0';
  const [devices, hidden] = [specsOf(available), specsOf(leftOut)];
  if (devices.some((device) => satisfies(device, wish))) return undefined;
  const all = [...devices, ...hidden];
  return `but ${missingJob(wish, all) ?? missingTask(wish, all) ?? hiddenTask(wish, devices, hidden) ?? missingType(wish, devices)}`;
}

function specsOf(names: readonly string[]): DeviceSpec[] {
  return names.flatMap((name) => parseDeviceName(name) ?? []);
}

function missingJob({ job }: DeviceSpec, devices: readonly DeviceSpec[]): string | undefined {
  const jobs = unique(devices.map((device) => device.job ?? ''));
  if (job === undefined || jobs.includes(job)) return undefined;
  if (jobs.length === 0) return 'the cluster is empty';
  return `the cluster has no job ${job}; ${jobs.length === 1 ? `its only job is ${jobs[0]}` : `its jobs are ${listing(jobs)}`}`;
}

function missingTask({ job, task, replica }: DeviceSpec, devices: readonly DeviceSpec[]): string | undefined {
  if (replica !== undefined && !devices.some((device) => device.replica === replica)) return `there is only replica 0`;
  if (task === undefined || devices.some((device) => device.task === task && (job === undefined || device.job === job))) return undefined;
  if (job === undefined) return `no job of the cluster has a task ${task}`;
  const tasks = unique(devices.filter((device) => device.job === job).map((device) => device.task ?? 0)).sort((a, b) => a - b);
  return `the cluster's ${tasks.length === 1 ? `only ${job} task is` : `${job} tasks are`} ${range(tasks)}`;
}

function hiddenTask({ type: _, index: _i, ...place }: DeviceSpec, devices: readonly DeviceSpec[], hidden: readonly DeviceSpec[]) {
  const isThere = (specs: readonly DeviceSpec[]): boolean => specs.some((spec) => satisfies(spec, place));
  if (isThere(devices) || !isThere(hidden)) return undefined;
  return `the device filters of the session leave out ${formatDeviceName(place)}`;
}

/** Job and task are there, alone at least; the kind or the number of the device is not. */
function missingType({ type, index, ...place }: DeviceSpec, devices: readonly DeviceSpec[]): string {
  const where = formatDeviceName(place) || 'the cluster';
  const there = devices.filter((device) => satisfies(device, place));
  if (there.length === 0) return `there is no ${where}`;
  const alike = there.filter((device) => type === undefined || device.type === type);
  if (alike.length === 0) return `${where} has no ${type}`;
  const names = unique(alike.map((device) => `${device.type}:${device.index}`)).sort();
  return `${where} has only ${listing(names)}`;
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function listing(texts: readonly (string | number)[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

function range(numbers: readonly number[]): string {
  const [first = 0] = numbers;
  const isDense = numbers.length > 1 && numbers.every((each, i) => each === first + i);
  return isDense ? `${first} to ${numbers.at(-1)}` : listing(numbers);
}
