import { codeName } from '#proto/wire/status.ts';
import { Graph, Session, type SessionOptions, StatusError, type Tensor } from '../../../main/client/index.ts';
import type { ClusterControl, ClusterDescription, ClusterWish } from '../../support/cluster-control.ts';
import type { TaskEngine } from '../../support/task-process.ts';

/** By name; each returns what the Python case of the same name returns. */
export type Cases = Readonly<Record<string, (cluster: CaseCluster) => Promise<unknown>>>;

/** The tasks that a case talks to, and its sessions on them. */
export class CaseCluster {
  readonly kind: ClusterDescription['kind'];
  readonly #control: ClusterControl;
  readonly #description: ClusterDescription;
  readonly #sessions: Session[];

  constructor(control: ClusterControl, description: ClusterDescription, sessions: Session[] = []) {
    this.kind = description.kind;
    this.#control = control;
    this.#description = description;
    this.#sessions = sessions;
  }

  target(job = 'worker', task = 0): string {
    return `grpc://${this.#description.addresses[job]?.[task]}`;
  }

  get addresses(): ClusterDescription['addresses'] {
    return this.#description.addresses;
  }

  engine(job = 'worker', task = 0): TaskEngine | undefined {
    return this.#description.engines[`${job}:${task}`];
  }

  /** Closed at the end of the case at the latest. */
  session(graph: Graph, place = 'worker:0', options: Omit<SessionOptions, 'graph'> = {}): Session {
    const [job, task] = place.split(':');
    const session = new Session(this.target(job, Number(task)), { graph, ...options });
    this.#sessions.push(session);
    return session;
  }

  /** A second cluster of the same kind. */
  async another(jobs: ClusterWish['jobs'], wish: Omit<ClusterWish, 'jobs'> = {}): Promise<CaseCluster> {
    return new CaseCluster(this.#control, await this.#control.start({ ...wish, jobs }), this.#sessions);
  }

  start(job: string, task: number): Promise<unknown> {
    return this.#do('start', job, task);
  }

  kill(job: string, task: number): Promise<unknown> {
    return this.#do('kill', job, task);
  }

  async restart(job: string, task: number): Promise<void> {
    await this.kill(job, task);
    await this.start(job, task);
  }

  async log(job: string, task: number): Promise<string> {
    return String(await this.#do('log', job, task));
  }

  async stop(): Promise<void> {
    await this.#do('stop', '', 0);
  }

  /** A session on a dead task is given up soon. */
  async closeSessions(): Promise<void> {
    await Promise.allSettled(this.#sessions.splice(0).map((session) => session.close({ timeoutMs: 1000 })));
  }

  async #do(ask: string, job: string, task: number): Promise<unknown> {
    const reply = await this.#control.answer({ ask, cluster: this.#description.id, job, task });
    if ('error' in reply) throw new Error(reply.error);
    return reply.answer;
  }
}

/** A new graph and what `build` makes in it. */
export function build<T>(body: (g: Graph) => T): { g: Graph } & T {
  const g = new Graph();
  return { g, ...body(g) };
}

/** The name of the code with which `call` fails. The message must contain each of `says`. */
export async function failure(call: () => Promise<unknown>, ...says: readonly string[]): Promise<string> {
  let value: unknown;
  try {
    value = await call();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const lacking = says.filter((text) => !error.message.includes(text));
    if (lacking.length > 0) throw new Error(`the message lacks ${JSON.stringify(lacking)}: ${error.message}`, { cause: error });
    return codeName(error.code);
  }
  throw new Error(`no error, but ${JSON.stringify(plain(value))}`);
}

export async function seconds(call: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await call();
  return (performance.now() - begin) / 1000;
}

export const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Is the call still running after this time? It must not fail meanwhile. */
export async function isBlocked(call: Promise<unknown>, milliseconds = 500): Promise<boolean> {
  const finished = await Promise.race([call.then(() => true), sleep(milliseconds).then(() => false)]);
  return !finished;
}

export async function until(condition: () => Promise<boolean>, limitMs = 15_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`did not come within ${limitMs} ms: ${condition}`);
    await sleep(20);
  }
}

export function ensure(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Our names of types that Python's numpy calls otherwise. */
const numpyNames: Readonly<Record<string, string>> = { float: 'float32', double: 'float64', half: 'float16' };

/** A value as the Python cases print it. */
export function plain(value: unknown): unknown {
  if (isTensor(value)) {
    const elements = value.dtype.startsWith('complex') ? pairs(value.data as Float32Array) : [...value.data];
    return {
      dtype: numpyNames[value.dtype] ?? value.dtype,
      shape: value.shape,
      values: elements.map((each) => element(each, value.dtype)),
    };
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return element(value, '');
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

function element(value: unknown, dtype: string): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (Array.isArray(value)) return value.map((each) => element(each, dtype));
  if (dtype === 'bool') return value === 1;
  if (typeof value === 'bigint') return value > 2n ** 53n || value < -(2n ** 53n) ? String(value) : Number(value);
  if (typeof value !== 'number') return value;
  const number = dtype === 'half' ? fromHalf(value) : value;
  return Number.isFinite(number) ? number : ({ Infinity: 'inf', '-Infinity': '-inf' }[String(number)] ?? 'nan');
}

function pairs(data: ArrayLike<number>): number[][] {
  return Array.from({ length: data.length / 2 }, (_, i) => [data[2 * i] ?? 0, data[2 * i + 1] ?? 0]);
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && 'dtype' in value && 'data' in value;
}
