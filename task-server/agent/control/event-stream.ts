import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AgentEventSchema, EventsRequest } from '#proto/generated/lanflow/agent_pb.ts';
import type { Machine } from '../machine/machine.ts';
import type { Supervisor } from '../tasks/supervisor.ts';

type AgentEvent = MessageInitShape<typeof AgentEventSchema>;
type Change = NonNullable<AgentEvent['event']>;

export interface EventSink {
  /** False when the reader is behind: nothing more is put in before `drained` is called. */
  write(event: AgentEvent): boolean;
}

/** Lines of one task that go into one event. */
const MOST_LINES = 500;

/**
 * What one caller of Events gets. While it waits it becomes fewer, not less: of a status only the newest is kept, and lines wait in
 * the task's own log.
 */
export class EventStream {
  readonly #supervisor: Supervisor;
  readonly #sink: EventSink;
  readonly #waiting = new Map<string, Change>();
  /** Number of the next line to tell, by task; undefined when no lines are wanted. */
  readonly #nextLine: Map<string, number> | undefined;
  readonly #talkative = new Set<string>();
  readonly #stops: readonly (() => void)[];
  #isBehind = false;
  #flush: NodeJS.Immediate | undefined;

  constructor(machine: Machine, supervisor: Supervisor, sink: EventSink, { logs, logFrom }: Pick<EventsRequest, 'logs' | 'logFrom'>) {
    this.#supervisor = supervisor;
    this.#sink = sink;
    const { tasks } = supervisor;
    this.#nextLine = logs
      ? new Map(tasks.map(({ id, status }) => [id, Math.min(logFrom[id] ?? status.logLines, status.logLines)]))
      : undefined;
    const snapshot = { machine: machine.facts, load: machine.load, task: [...tasks] };
    this.#put('snapshot', { case: 'snapshot', value: machineSnapshot(snapshot) });
    for (const { id } of tasks) this.#hearLines(id);
    this.#stops = [
      supervisor.listen({
        onTask: (task) => {
          // The newer of the two is in it.
          this.#waiting.delete(`status ${task.id}`);
          this.#put(`task ${task.id}`, { case: 'task', value: task });
        },
        onStatus: (status) => this.#put(`status ${status.id}`, { case: 'status', value: status }),
        onRemoved: (id) => {
          this.#tellLines(id);
          this.#nextLine?.delete(id);
          for (const key of ['task', 'status']) this.#waiting.delete(`${key} ${id}`);
          this.#put(`removed ${id}`, { case: 'removed', value: id });
        },
        onLines: (id) => this.#hearLines(id),
      }),
      machine.listen({
        onMachine: (facts) => this.#put('machine', { case: 'machine', value: messageOf(facts) }),
        onLoad: (load) => this.#put('load', { case: 'load', value: { ...load, address: [...load.address], network: [...load.network] } }),
      }),
    ];
  }

  drained(): void {
    this.#isBehind = false;
    this.#flushSoon();
  }

  close(): void {
    clearImmediate(this.#flush);
    for (const stop of this.#stops) stop();
  }

  #put(key: string, change: Change): void {
    // At its end: a task that is told after another's removal happened after it.
    this.#waiting.delete(key);
    this.#waiting.set(key, change);
    this.#flushSoon();
  }

  #hearLines(id: string): void {
    if (!this.#nextLine) return;
    this.#talkative.add(id);
    this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#isBehind) return;
    this.#flush ??= setImmediate(() => {
      this.#flush = undefined;
      this.#flushNow();
    });
  }

  #flushNow(): void {
    for (const [key, event] of this.#waiting) {
      this.#waiting.delete(key);
      if (!this.#write(event)) return;
    }
    for (const id of this.#talkative) {
      this.#talkative.delete(id);
      if (!this.#tellLines(id)) return;
    }
  }

  /** False when the reader is behind. */
  #tellLines(id: string): boolean {
    if (!this.#nextLine || !this.#supervisor.has(id)) return true;
    const { lines, total } = this.#supervisor.logs(id, this.#nextLine.get(id) ?? 0, MOST_LINES);
    const last = lines.at(-1);
    if (!last) return true;
    this.#nextLine.set(id, last.number + 1);
    if (last.number + 1 < total) this.#hearLines(id);
    return this.#write({ case: 'lines', value: { id, line: [...lines] } });
  }

  #write(event: Change): boolean {
    this.#isBehind = !this.#sink.write({ event });
    return !this.#isBehind;
  }
}

type Facts = { readonly machine: Machine['facts']; readonly load: Machine['load']; readonly task: Supervisor['tasks'] };

/** Generated messages have lists that may be changed; ours may not. */
function messageOf(machine: Machine['facts']) {
  return { ...machine, gpu: [...machine.gpu], engine: [...machine.engine] };
}

function machineSnapshot({ machine, load, task }: Facts) {
  return {
    machine: messageOf(machine),
    load: { ...load, address: [...load.address], network: [...load.network] },
    task: [...task],
  };
}
