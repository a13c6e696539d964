/**
 * A colour for each device, task and client, the same on every screen and in every run because it follows from the name alone.
 * The colour never stands alone: the name is beside it.
 */
const COLOURS = 10;

/** Where a job's colours begin and in which direction they go; jobs of a kind share their colours, unlike ones keep apart. */
const known: Readonly<Record<string, { readonly first: number; readonly step: number }>> = {
  ps: { first: 0, step: -1 },
  canshu: { first: 0, step: -1 },
  worker: { first: 1, step: 1 },
  gongzuo: { first: 1, step: 1 },
  local: { first: 0, step: 1 },
};

interface DeviceParts {
  readonly job: string;
  readonly task: number;
  /** `CPU`, `GPU`; empty for a task. */
  readonly type: string;
  readonly index: number;
}

function parse(name: string): DeviceParts | undefined {
  const match = /^\/job:([^/]+)(?:\/replica:\d+)?\/task:(\d+)(?:\/(?:device:)?([A-Za-z_]+):(\d+))?/.exec(name);
  const [, job, task, type, index] = match ?? [];
  if (job === undefined) return undefined;
  return { job, task: Number(task), type: type?.toUpperCase() ?? '', index: Number(index ?? 0) };
}

function slot({ job, task, type, index }: DeviceParts): number {
  const letters = [...job].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  const { first, step } = known[job] ?? { first: letters, step: 1 };
  const card = type === '' || type === 'CPU' ? 0 : 3 + 2 * index;
  return (((first + step * task + card) % COLOURS) + COLOURS) % COLOURS;
}

/** A CSS colour. What is neither a device nor a task (the only client, Lanflow itself) has the colour of quiet text. */
export function deviceColor(name: string): string {
  const parts = parse(name);
  return parts ? `var(--device-${slot(parts)})` : 'var(--muted)';
}

/** `ps 0` for `/job:ps/replica:0/task:0`, `worker 1 · GPU:0` for a device of it; CPU:0 goes without saying. Other names as they are. */
export function deviceLabel(name: string): string {
  const parts = parse(name);
  if (!parts) return name;
  const { job, task, type, index } = parts;
  const device = type === '' || (type === 'CPU' && index === 0) ? '' : ` · ${type}:${index}`;
  return `${job} ${task}${device}`;
}

/** In the order in which people read them: ps before workers, then by job; task 10 after task 9. */
export function compareDevices(a: string, b: string): number {
  const [first, second] = [parse(a), parse(b)];
  if (!first || !second) return Number(first === undefined) - Number(second === undefined) || a.localeCompare(b);
  return (
    jobRank(first.job) - jobRank(second.job) ||
    first.job.localeCompare(second.job) ||
    first.task - second.task ||
    first.type.localeCompare(second.type) ||
    first.index - second.index
  );
}

function jobRank(job: string): number {
  if (known[job]) return known[job].step < 0 ? 0 : 1;
  return 2;
}
