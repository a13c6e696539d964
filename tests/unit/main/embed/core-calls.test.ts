import { beforeEach, describe, expect, it } from 'vitest';
import { createFrameCodec } from '#proto/ipc/codec.ts';
import { errorFrame, type Frame } from '#proto/ipc/frames.ts';
import { Code, notFound } from '#proto/wire/status.ts';
import { CoreCalls } from '../../../../main/embed/core-calls.ts';

const codec = createFrameCodec();
const settings = { theme: 'dark', language: 'en', ports: 'any', byHost: ['theme'] } as const;

describe('calls of a program to the core', () => {
  let sent: Frame[];
  let answer: (frame: Frame) => void;
  let core: { isRunning: boolean; closed: boolean };
  let calls: CoreCalls;

  beforeEach(() => {
    sent = [];
    core = { isRunning: true, closed: false };
    calls = new CoreCalls({
      get isRunning() {
        return core.isRunning;
      },
      connect: (onFrame) => {
        answer = (frame) => onFrame(codec.encode(frame));
        return {
          send: (bytes) => sent.push(codec.decode(bytes)),
          close: () => {
            core.closed = true;
          },
        };
      },
    });
  });

  it('are answered by number, in whatever order', async () => {
    const first = calls.call('settings.get');
    const second = calls.call('programs.read', { program: 'ps-workers' });
    expect(sent).toEqual([
      { kind: 'call', id: 1, name: 'settings.get', argument: null },
      { kind: 'call', id: 2, name: 'programs.read', argument: { program: 'ps-workers' } },
    ]);
    answer({ kind: 'result', id: 2, value: { source: 'text' } });
    answer({ kind: 'result', id: 1, value: settings });
    expect(await first).toEqual(settings);
    expect(await second).toEqual({ source: 'text' });
  });

  it('reject with the code of the core', async () => {
    const call = calls.call('programs.read', { program: 'none' });
    answer(errorFrame(1, notFound('There is no program none')));
    await expect(call).rejects.toMatchObject({ code: Code.NOT_FOUND, message: 'There is no program none' });
  });

  it('reject when the core has ended, and at once while there is none', async () => {
    const call = calls.call('settings.get');
    calls.rejectAll('The core has ended');
    await expect(call).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: 'The core has ended' });
    core.isRunning = false;
    await expect(calls.call('settings.get')).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    expect(sent).toHaveLength(1);
  });

  it('reject after it was closed, with the reason', async () => {
    const call = calls.call('settings.get');
    calls.close('closed by the host');
    await expect(call).rejects.toThrow('closed by the host');
    await expect(calls.call('settings.get')).rejects.toThrow('closed by the host');
    expect(core.closed).toBe(true);
  });

  it('hear events of their name until they no longer want to', () => {
    const heard: unknown[] = [];
    const stop = calls.on('settings.changed', (payload) => heard.push(payload));
    answer({ kind: 'event', name: 'runs.removed', payload: { run: 'r' } });
    answer({ kind: 'event', name: 'settings.changed', payload: settings });
    stop();
    answer({ kind: 'event', name: 'settings.changed', payload: settings });
    expect(heard).toEqual([settings]);
  });
});
