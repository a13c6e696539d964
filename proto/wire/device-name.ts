import { invalidArgument, type StatusError } from './status.ts';

/**
 * A device name in parts, any of which may be missing: `/job:ps/replica:0/task:1/device:CPU:0`. A partial name is a
 * constraint (`/job:ps`), a full one names a device. Source: the grammar of TensorFlow's device names.
 */
export interface DeviceSpec {
  readonly job?: string;
  readonly replica?: number;
  readonly task?: number;
  /** Upper case as TensorFlow registers it: `CPU`, `GPU`. */
  readonly type?: string;
  readonly index?: number;
}

const parts: readonly { pattern: RegExp; read(match: RegExpExecArray): DeviceSpec }[] = [
  { pattern: /^\/job:([A-Za-z][A-Za-z0-9_]*|\*)/, read: ([, job]) => (job === '*' ? {} : { job: job ?? '' }) },
  { pattern: /^\/replica:(\d+|\*)/, read: ([, n]) => (n === '*' ? {} : { replica: Number(n) }) },
  { pattern: /^\/task:(\d+|\*)/, read: ([, n]) => (n === '*' ? {} : { task: Number(n) }) },
  { pattern: /^\/device:([A-Za-z][A-Za-z0-9_]*|\*)(?::(\d+|\*))?/, read: ([, type, n]) => typeAndIndex(type, n) },
  { pattern: /^\/([cg]pu|[CG]PU):(\d+|\*)/, read: ([, type, n]) => typeAndIndex(type?.toUpperCase(), n) },
];

function typeAndIndex(type: string | undefined, index: string | undefined): DeviceSpec {
  return {
    ...(type === undefined || type === '*' ? {} : { type }),
    ...(index === undefined || index === '*' ? {} : { index: Number(index) }),
  };
}

/** Parts in any order; `/` and the empty text mean "anywhere". Undefined when the text is no device name. */
export function parseDeviceName(text: string): DeviceSpec | undefined {
  let rest = text === '/' ? '' : text;
  let spec: DeviceSpec = {};
  while (rest !== '') {
    const before = rest;
    for (const { pattern, read } of parts) {
      const match = pattern.exec(rest);
      if (!match) continue;
      spec = { ...spec, ...read(match) };
      rest = rest.slice(match[0].length);
      break;
    }
    if (rest === before) return undefined;
  }
  return spec;
}

/** The canonical text of a spec; missing parts are left out. */
export function formatDeviceName(spec: DeviceSpec): string {
  let text = '';
  if (spec.job !== undefined) text += `/job:${spec.job}`;
  if (spec.replica !== undefined) text += `/replica:${spec.replica}`;
  if (spec.task !== undefined) text += `/task:${spec.task}`;
  if (spec.type !== undefined) text += `/device:${spec.type}:${spec.index ?? '*'}`;
  else if (spec.index !== undefined) text += `/device:*:${spec.index}`;
  return text;
}

const fields = ['job', 'replica', 'task', 'type', 'index'] as const;

/** Does a device (or a narrower constraint) satisfy this constraint? */
export function satisfies(device: DeviceSpec, constraint: DeviceSpec): boolean {
  return fields.every((field) => constraint[field] === undefined || constraint[field] === device[field]);
}

/** Could one device satisfy both? The rule of device filters. */
export function intersects(a: DeviceSpec, b: DeviceSpec): boolean {
  return fields.every((field) => a[field] === undefined || b[field] === undefined || a[field] === b[field]);
}

/**
 * Both constraints together. A conflict in job, replica or task always is INVALID_ARGUMENT; one in type or index too,
 * unless `soft`, when that part is dropped.
 */
export function mergeDeviceSpecs(a: DeviceSpec, b: DeviceSpec, soft = false): DeviceSpec {
  const merged: Record<string, string | number> = {};
  for (const field of fields) {
    const [left, right] = [a[field], b[field]];
    const value = left ?? right;
    if (value === undefined) continue;
    if (left === undefined || right === undefined || left === right) merged[field] = value;
    else if (!soft || field === 'job' || field === 'replica' || field === 'task') throw conflict(field, a, b);
    else if (field === 'type') return droppedTypeAndIndex(merged);
  }
  return merged;
}

/** Once the types differ, the index of either means nothing. */
function droppedTypeAndIndex(merged: Record<string, string | number>): DeviceSpec {
  const { type: _type, index: _index, ...rest } = merged;
  return rest;
}

const plural = { job: 'jobs', replica: 'replicas', task: 'tasks', type: 'types', index: 'ids' } as const;

function conflict(field: (typeof fields)[number], a: DeviceSpec, b: DeviceSpec): StatusError {
  return invalidArgument(`Cannot merge devices with incompatible ${plural[field]}: '${formatDeviceName(a)}' and '${formatDeviceName(b)}'`);
}

/** `/job:ps/replica:0/task:1`: the task part of a device name. */
export function taskName(job: string, task: number, replica = 0): string {
  return `/job:${job}/replica:${replica}/task:${task}`;
}

/** The task that a full device name belongs to; undefined when a part is missing. */
export function taskOfDevice(device: string): string | undefined {
  const spec = parseDeviceName(device);
  if (spec?.job === undefined || spec.task === undefined) return undefined;
  return taskName(spec.job, spec.task, spec.replica ?? 0);
}
