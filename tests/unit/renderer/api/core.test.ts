import { beforeEach, describe, expect, it } from 'vitest';
import { createFrameCodec } from '#proto/ipc/codec.ts';
import { type CallFrame, errorFrame, type Frame } from '#proto/ipc/frames.ts';
import { Code, notFound } from '#proto/wire/status.ts';
import { type ConnectionState, type Core, connectCore } from '../../../../renderer/api/core.ts';
import type { TransportEvents } from '../../../../renderer/api/transport.ts';

const codec = createFrameCodec();

/** The far side of a window. */
class FakeCore {
  readonly calls: CallFrame[] = [];
  readonly states: ConnectionState['kind'][] = [];
  events!: TransportEvents;
  readonly window: Core = connectCore({
    send: (frame) => this.calls.push(codec.decode(frame) as CallFrame),
    open: (events) => {
      this.events = events;
    },
    restart: async () => {},
  });

  constructor() {
    this.window.onState(({ kind }) => this.states.push(kind));
  }

  say(frame: Frame): void {
    this.events.onFrame(codec.encode(frame));
  }
}

describe('a window', () => {
  let core: FakeCore;

  beforeEach(() => {
    core = new FakeCore();
  });

  it('sends what was asked before there was a connection as soon as there is one', () => {
    void core.window.call('runs.stop', { run: 'a' });
    expect(core.calls).toEqual([]);
    core.events.onConnected();
    expect(core.calls).toMatchObject([{ kind: 'call', name: 'runs.stop', argument: { run: 'a' } }]);
  });

  it('gives each answer to who asked for it', async () => {
    core.events.onConnected();
    const first = core.window.call('programs.read', { program: 'a' });
    const second = core.window.call('programs.read', { program: 'b' });
    const [a, b] = core.calls.map(({ id }) => id);
    core.say({ kind: 'result', id: b ?? 0, value: { source: 'B' } });
    core.say({ kind: 'result', id: a ?? 0, value: { source: 'A' } });
    expect([await first, await second]).toEqual([{ source: 'A' }, { source: 'B' }]);
  });

  it('throws the error of the core with its code', async () => {
    core.events.onConnected();
    const answer = core.window.call('runs.get', { run: 'x' });
    core.say(errorFrame(core.calls[0]?.id ?? 0, notFound('There is no run x')));
    await expect(answer).rejects.toMatchObject({ name: 'StatusError', code: Code.NOT_FOUND, message: 'There is no run x' });
  });

  it('rejects what is under way when the connection is lost, and what is asked before it is back', async () => {
    core.events.onConnected();
    const underWay = core.window.call('runs.list');
    core.events.onLost({ reason: 'exit code 1', restores: true, coreEnded: true });
    await expect(underWay).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    await expect(core.window.call('runs.list')).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    core.events.onConnected();
    expect(core.states).toEqual(['connecting', 'connected', 'lost', 'connected']);
  });

  it('hears events until it no longer wants to', () => {
    const heard: string[] = [];
    const stop = core.window.on('runs.removed', ({ run }) => heard.push(run));
    core.say({ kind: 'event', name: 'runs.removed', payload: { run: 'a' } });
    stop();
    core.say({ kind: 'event', name: 'runs.removed', payload: { run: 'b' } });
    expect(heard).toEqual(['a']);
  });
});
