import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentEvent, AgentEventSchema } from '#proto/generated/lanflow/agent_pb.ts';
import { EventStream } from '../../../../../task-server/agent/control/event-stream.ts';
import type { Machine, MachineListener } from '../../../../../task-server/agent/machine/machine.ts';
import { LogRing } from '../../../../../task-server/agent/tasks/log-ring.ts';
import type { Supervisor, SupervisorListener, Task, TaskStatus } from '../../../../../task-server/agent/tasks/supervisor.ts';

const setup = {
  ...{ cluster: 'c', clusterTitle: '', job: 'w', index: 0, spec: '{}', engine: 'bundled', placement: '' },
  ...{ virtualGpus: 0, startId: 's', restart: false, allow: [], plaintext: [] },
};
const load = { cpu: 0.5, memoryTotal: 1, memoryFree: 1, diskTotal: 0, diskFree: 0, time: 0, address: ['10.0.0.1'], network: [] };
const facts = {
  id: 'm',
  startId: 's',
  installed: true,
  hostName: 'lab',
  system: '',
  cores: 2,
  gpu: [],
  version: { Node: '20' },
  lab: '',
  port: 0,
  engine: [],
};

function statusOf(id: string, revision: number, log: LogRing): TaskStatus {
  return {
    ...{ id, state: 'running', reason: '', code: 0, address: 'h:1', startedAt: 1, incarnation: 'ab', memory: 2 ** 40 },
    ...{ heartbeatAge: 1.5, stepsPerSecond: -1, restarts: 0, logLines: log.total, revision, opening: [] },
  };
}

interface BenchOptions {
  readonly logs?: Map<string, LogRing>;
  readonly logFrom?: Record<string, number>;
  readonly wantsLines?: boolean;
}

const twoLogs = (): Map<string, LogRing> => new Map(['a', 'b'].map((id) => [id, new LogRing(50)]));

/** A supervisor with the tasks `a` and `b`, and what a caller of Events gets of it. */
class Bench {
  readonly logs: Map<string, LogRing>;
  readonly events: AgentEvent['event'][] = [];
  isFull = false;
  listener: SupervisorListener | undefined;
  readonly stream: EventStream;

  constructor({ logs = twoLogs(), logFrom = {}, wantsLines = true }: BenchOptions = {}) {
    this.logs = logs;
    const bench = this;
    const supervisor = {
      get tasks(): readonly Task[] {
        return [...bench.logs].map(([id, log]) => ({ id, setup, status: statusOf(id, 1, log) }));
      },
      has: (id: string) => this.logs.has(id),
      logs: (id: string, from: number, most: number) => {
        const log = this.logs.get(id) as LogRing;
        return { lines: log.from(from, most), total: log.total };
      },
      listen: (listener: SupervisorListener) => {
        this.listener = listener;
        return () => undefined;
      },
    };
    const machine = { facts, load, listen: (_: MachineListener) => () => undefined };
    const write = (event: Parameters<typeof create<typeof AgentEventSchema>>[1]): boolean => {
      // Through the codec, as it goes to a caller.
      this.events.push(fromBinary(AgentEventSchema, toBinary(AgentEventSchema, create(AgentEventSchema, event))).event);
      return !this.isFull;
    };
    // Stands in for the parts of the two that an event stream uses.
    this.stream = new EventStream(
      machine as unknown as Machine,
      supervisor as unknown as Supervisor,
      { write },
      { logs: wantsLines, logFrom },
    );
  }

  status(id: string, revision: number): void {
    this.listener?.onStatus(statusOf(id, revision, this.logs.get(id) as LogRing));
  }

  say(id: string, count: number): void {
    for (let i = 0; i < count; i++) this.logs.get(id)?.add(`line ${i}`, 0);
    this.listener?.onLines(id);
  }

  async take(): Promise<readonly string[]> {
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    return this.events.splice(0).map(describeEvent);
  }
}

function describeEvent(event: AgentEvent['event']): string {
  if (event.case === 'status') return `status ${event.value.id} ${event.value.revision}`;
  if (event.case === 'task') return `task ${event.value.id}`;
  if (event.case === 'lines') return `lines ${event.value.id} ${event.value.line.map(({ number }) => number).join(',')}`;
  if (event.case === 'removed') return `removed ${event.value}`;
  return String(event.case);
}

describe('events of an agent', () => {
  let bench: Bench;
  afterEach(() => bench.stream.close());

  it('begin with all that is known, unharmed by the codec', async () => {
    bench = new Bench();
    await new Promise((resolve) => setImmediate(resolve));
    const [event] = bench.events;
    expect(event?.case === 'snapshot' && event.value.machine).toMatchObject(facts);
    expect(event?.case === 'snapshot' && event.value.load).toMatchObject(load);
    expect(event?.case === 'snapshot' && event.value.task[0]?.status).toMatchObject(statusOf('a', 1, new LogRing()));
  });

  it('become fewer while the reader is behind: of each task only its newest status', async () => {
    bench = new Bench();
    bench.isFull = true;
    expect(await bench.take()).toEqual(['snapshot']);
    for (const revision of [2, 3, 4]) bench.status('a', revision);
    bench.status('b', 5);
    bench.status('a', 6);
    expect(await bench.take()).toEqual([]);
    bench.isFull = false;
    bench.stream.drained();
    expect(await bench.take()).toEqual(['status b 5', 'status a 6']);
  });

  it('bring lines in order without gaps, and as far as they are kept when the reader is far behind', async () => {
    bench = new Bench();
    bench.say('a', 2);
    expect(await bench.take()).toEqual(['snapshot', 'lines a 0,1']);
    bench.isFull = true;
    bench.say('b', 1);
    expect(await bench.take()).toEqual(['lines b 0']);
    bench.say('a', 100);
    bench.isFull = false;
    bench.stream.drained();
    expect(await bench.take()).toEqual([`lines a ${Array.from({ length: 50 }, (_, i) => 52 + i).join(',')}`]);
  });

  it('bring lines from where the caller was, and only new ones to who comes for the first time', async () => {
    const logs = twoLogs();
    for (const log of logs.values()) for (let i = 0; i < 3; i++) log.add('old', 0);
    bench = new Bench({ logs, logFrom: { a: 1 } });
    bench.say('b', 1);
    expect(await bench.take()).toEqual(['snapshot', 'lines a 1,2', 'lines b 3']);
  });

  it('bring what a task said last before its end, and from 0 what its successor says', async () => {
    bench = new Bench();
    await bench.take();
    bench.logs.get('a')?.add('last words', 0);
    bench.status('a', 9);
    bench.listener?.onRemoved('a');
    bench.logs.set('a', new LogRing());
    bench.listener?.onTask({ id: 'a', setup, status: statusOf('a', 10, new LogRing()) });
    bench.say('a', 1);
    expect(await bench.take()).toEqual(['lines a 0', 'removed a', 'task a', 'lines a 0']);
  });

  it('bring no lines to who does not ask for them', async () => {
    bench = new Bench({ wantsLines: false });
    bench.say('a', 3);
    expect(await bench.take()).toEqual(['snapshot']);
  });
});
