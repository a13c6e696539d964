import { setTimeout as delay } from 'node:timers/promises';
import type { AgentEvent, LogLine, Machine, MachineLoad, Snapshot, Task } from '#proto/generated/lanflow/agent_pb.ts';
import { type StatusError, toStatusError, unavailable } from '#proto/wire/status.ts';
import type { AgentClient } from './agent-client.ts';
import { type KnownTask, KnownTasks } from './known-tasks.ts';

export interface MachineLinkEnv {
  readonly id: string;
  /** Dials the machine's agent. */
  readonly connect: (signal: AbortSignal) => Promise<AgentClient>;
  readonly log: (line: string) => void;
  readonly listener: MachineLinkListener;
  /** Its agent has answered, at first or again. */
  readonly onOnline?: () => void;
}

export interface MachineLinkListener {
  /** It came or went, or its load is another one. */
  onMachine(): void;
  /** Something about one of its tasks. */
  onTasks(): void;
  onLines(task: KnownTask, lines: readonly LogLine[]): void;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;

/** What is known of one machine, through a connection to its agent that is made again whenever it is lost. */
export class MachineLink {
  readonly id: string;
  readonly #env: MachineLinkEnv;
  readonly #closing = new AbortController();
  readonly #tasks = new KnownTasks();
  readonly #ready: Promise<void>;
  readonly #over: Promise<void>;
  #setReady: () => void = () => undefined;
  #agent: AgentClient | undefined;
  #machine: Machine | undefined;
  #load: MachineLoad | undefined;
  #error: StatusError | undefined;
  #wasOnline = false;
  #tasksGoOn = false;
  #seenAt = 0;
  #clockOffset = 0;

  constructor(env: MachineLinkEnv) {
    this.id = env.id;
    this.#env = env;
    this.#ready = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    this.#over = this.#follow();
  }

  get isOnline(): boolean {
    return this.#agent !== undefined;
  }

  /** Why it cannot be reached; undefined when it can. */
  get error(): StatusError | undefined {
    return this.#agent ? undefined : (this.#error ?? unavailable('Its agent has not answered yet'));
  }

  /** It cannot be reached, and its tasks go on as far as is known: the machine is there, and only its agent is missing. */
  get tasksGoOn(): boolean {
    return !this.#agent && this.#tasksGoOn;
  }

  /** As last told. */
  get machine(): Machine | undefined {
    return this.#machine;
  }

  get load(): MachineLoad | undefined {
    return this.#load;
  }

  /** Its clock is so far ahead of ours, in milliseconds; 0 when unknown. */
  get clockOffset(): number {
    return this.#clockOffset;
  }

  /** When it was last heard of; Unix epoch in milliseconds, 0: never. */
  get seenAt(): number {
    return this.#seenAt;
  }

  /** By id. Those of a machine that cannot be reached are as they were last. */
  get tasks(): ReadonlyMap<string, KnownTask> {
    return this.#tasks.byId;
  }

  /** Tasks whose process is up. */
  get runningCount(): number {
    return [...this.tasks.values()].filter(({ status }) => status.startedAt > 0).length;
  }

  /** Throws UNAVAILABLE, with the reason, while it cannot be reached. */
  get agent(): AgentClient {
    if (this.#agent) return this.#agent;
    throw unavailable(`${this.#machine?.hostName ?? 'The machine'} cannot be reached: ${this.error?.message}`, { cause: this.error });
  }

  /** Resolves when it has answered or failed for the first time. */
  whenKnown(): Promise<void> {
    return this.#ready;
  }

  /** What a call has brought of a task: the event with the same may come later. */
  learn(task: Task): void {
    this.#tasks.learn(task);
    this.#env.listener.onTasks();
  }

  /** A call has ended the task: the event that says so may come later. */
  forget(id: string): void {
    this.#tasks.remove(id);
    this.#env.listener.onTasks();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#over;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; failures++) {
      const began = performance.now();
      try {
        await this.#followOnce(signal);
      } catch (error) {
        if (!signal.aborted) this.#lose(toStatusError(error));
      }
      if (performance.now() - began > LONGEST_PAUSE_MS) failures = 0;
      // One that was there is looked for again at once.
      const pause = failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    const client = await this.#env.connect(signal);
    try {
      await client.events({
        keep: true,
        logFrom: this.#tasks.nextLines,
        onEvent: (event) => this.#hear(event, client),
        signal,
      });
    } finally {
      this.#agent = undefined;
      client.close();
    }
  }

  #lose(error: StatusError): void {
    const isNews = this.#error?.message !== error.message;
    this.#error = error;
    // A connection that breaks off says nothing of the machine; what becomes of the next one does, in a moment.
    this.#tasksGoOn = this.#machine?.keepsTasks === true && (this.#wasOnline || error.details['outcome'] === 'refused');
    this.#wasOnline = false;
    if (isNews) this.#env.log(`Machine ${this.#machine?.hostName ?? this.id}: ${error.message}`);
    this.#setReady();
    this.#env.listener.onMachine();
    this.#env.listener.onTasks();
  }

  #hear({ event }: AgentEvent, client: AgentClient): void {
    const { listener } = this.#env;
    this.#seenAt = Date.now();
    if (event.case === 'lines') {
      const task = this.#tasks.hear(event.value.id, event.value.line);
      if (task) listener.onLines(task, event.value.line);
      return;
    }
    const before = this.runningCount;
    if (event.case === 'snapshot') this.#begin(event.value, client);
    else if (event.case === 'machine') this.#machine = event.value;
    else if (event.case === 'load') this.#measure(event.value);
    else if (event.case === 'task') this.#tasks.learn(event.value);
    else if (event.case === 'status') this.#tasks.learn({ id: event.value.id, status: event.value });
    else if (event.case === 'removed') this.#tasks.remove(event.value);
    if (event.case !== 'load' && event.case !== 'machine') listener.onTasks();
    if (event.case !== 'status' || before !== this.runningCount) listener.onMachine();
  }

  /** The message takes a few milliseconds on its way, which is nothing where clocks matter to people. */
  #measure(load: MachineLoad): void {
    this.#load = load;
    this.#clockOffset = Math.round(load.time - Date.now());
  }

  #begin({ machine, load, task }: Snapshot, client: AgentClient): void {
    this.#tasks.reset(task);
    this.#machine = machine;
    // It may have been measured long ago, when somebody listened last.
    this.#load = load;
    this.#agent = client;
    this.#wasOnline = true;
    this.#setReady();
    this.#env.onOnline?.();
  }
}
