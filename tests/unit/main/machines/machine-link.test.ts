import { create } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentEventSchema, TaskSchema } from '#proto/generated/lanflow/agent_pb.ts';
import { unavailable } from '#proto/wire/status.ts';
import type { AgentClient, EventsOptions } from '../../../../main/machines/agent-client.ts';
import { MachineLink } from '../../../../main/machines/machine-link.ts';

const refused = unavailable('nobody listens', { details: { outcome: 'refused' } });
const unreached = unavailable('no answer', { details: { outcome: 'unreached' } });

describe('a machine whose agent is away', () => {
  let link: MachineLink;
  let dials: number;
  let asked: EventsOptions['logFrom'][];
  /** What becomes of the next connections; an agent when there is none. */
  let outcomes: Error[];
  let breakOff: () => void;

  /** An agent with one task that has said three lines. */
  function agent(keepsTasks: boolean): AgentClient {
    const events = ({ onEvent, logFrom, signal }: EventsOptions): Promise<void> => {
      asked.push(logFrom);
      const task = create(TaskSchema, { id: 'c/t', setup: {}, status: { startedAt: 1 } });
      onEvent(create(AgentEventSchema, { event: { case: 'snapshot', value: { machine: { keepsTasks }, task: [task] } } }));
      onEvent(create(AgentEventSchema, { event: { case: 'lines', value: { id: 'c/t', line: [{ number: 2 }] } } }));
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => resolve());
        breakOff = () => reject(unavailable('it has ended'));
      });
    };
    // Nothing else of it is called.
    return { events, close: () => undefined } as Partial<AgentClient> as AgentClient;
  }

  function open(keepsTasks: boolean): void {
    link = new MachineLink({
      id: 'm',
      connect: async () => {
        dials++;
        const outcome = outcomes.shift();
        if (outcome) throw outcome;
        return agent(keepsTasks);
      },
      log: () => undefined,
      listener: { onMachine: () => undefined, onTasks: () => undefined, onLines: () => undefined },
    });
  }

  beforeEach(() => {
    dials = 0;
    asked = [];
    outcomes = [];
  });
  afterEach(() => link.close());

  it('has its tasks going on as long as the machine refuses connections, and no longer when it does not answer', async () => {
    open(true);
    await link.whenKnown();
    outcomes = [refused, refused, unreached, unreached];
    breakOff();
    await expect.poll(() => dials).toBe(3);
    expect([link.isOnline, link.tasksGoOn, link.runningCount]).toEqual([false, true, 1]);
    await expect.poll(() => link.tasksGoOn).toBe(false);
    expect(link.error?.message).toBe('no answer');
    await expect.poll(() => link.isOnline, { timeout: 5000 }).toBe(true);
    expect([link.tasksGoOn, asked]).toEqual([false, [{}, { 'c/t': 3 }]]);
  });

  it('has lost them at once where they end with their agent', async () => {
    open(false);
    await link.whenKnown();
    outcomes = [refused];
    breakOff();
    await expect.poll(() => link.isOnline).toBe(false);
    expect(link.tasksGoOn).toBe(false);
  });
});
