import { type DeviceSpec, formatDeviceName, parseDeviceName, satisfies } from '#proto/wire/device-name.ts';

/** Why none of the devices is what a (partial) device name asks for: `but …`; undefined when one is. */
export function missingDevice(wanted: string, available: readonly string[]): string | undefined {
  const wish = parseDeviceName(wanted);
  if (!wish) return 'which is no device name; an example of one is /job:ps/task:0/device:CPU:0';
  const devices = available.flatMap((name) => parseDeviceName(name) ?? []);
  if (devices.some((device) => satisfies(device, wish))) return undefined;
  return `but ${missingJob(wish, devices) ?? missingTask(wish, devices) ?? missingType(wish, devices)}`;
}

function missingJob({ job }: DeviceSpec, devices: readonly DeviceSpec[]): string | undefined {
  const jobs = unique(devices.map((device) => device.job ?? ''));
  if (job === undefined || jobs.includes(job)) return undefined;
  return `the cluster has no job ${job}; ${jobs.length === 1 ? `its only job is ${jobs[0]}` : `its jobs are ${listing(jobs)}`}`;
}

function missingTask({ job, task, replica }: DeviceSpec, devices: readonly DeviceSpec[]): string | undefined {
  if (replica !== undefined && !devices.some((device) => device.replica === replica)) return `there is only replica 0`;
  if (task === undefined || devices.some((device) => device.task === task && (job === undefined || device.job === job))) return undefined;
  if (job === undefined) return `no job of the cluster has a task ${task}`;
  const tasks = unique(devices.filter((device) => device.job === job).map((device) => device.task ?? 0)).sort((a, b) => a - b);
  return `the cluster's ${tasks.length === 1 ? `only ${job} task is` : `${job} tasks are`} ${range(tasks)}`;
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
