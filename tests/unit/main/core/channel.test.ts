import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createFrameCodec } from '#proto/ipc/codec.ts';
import type { RunInfo, SeriesColumns } from '#proto/ipc/contract.ts';
import type { Frame } from '#proto/ipc/frames.ts';
import { notFound } from '#proto/wire/status.ts';
import { Channel } from '../../../../main/core/channel.ts';
import type { Handlers } from '../../../../main/core/handler.ts';

const codec = createFrameCodec();
const samplesOf = (values: readonly number[]): SeriesColumns => ({
  client: 'client',
  name: 'x',
  steps: Float64Array.from(values),
  values: Float64Array.from(values),
  times: Float64Array.from(values),
});
const run = (status: string) => ({ id: 'r', status }) as RunInfo;

/** Only the calls that a test needs. */
function openChannel(handlers: Partial<Handlers>) {
  const log: string[] = [];
  const channel = new Channel({ handlers: handlers as Handlers, log: (line) => log.push(line) });
  const open = () => {
    const frames: Frame[] = [];
    const link = { isBusy: false, send: (bytes: Uint8Array) => frames.push(codec.decode(bytes)) };
    const connection = channel.open(link);
    const call = async (name: string, argument: unknown, id = 1): Promise<Frame | undefined> => {
      connection.receive(codec.encode({ kind: 'call', id, name, argument }));
      await delay(5);
      return frames.at(-1);
    };
    return { frames, link, connection, call };
  };
  return { channel, log, open };
}

describe('calls', () => {
  it('are answered once, with result or error', async () => {
    const { call } = openChannel({
      'runs.get': ({ run: id }) => {
        if (id === 'r') return run('here');
        throw notFound(`no run ${id}`);
      },
    }).open();
    expect(await call('runs.get', { run: 'r' }, 7)).toEqual({ kind: 'result', id: 7, value: run('here') });
    expect(await call('runs.get', { run: 'q' }, 8)).toEqual({ kind: 'error', id: 8, code: 5, message: 'no run q', details: {} });
  });

  it.each(['runs.fly', 'toString', '__proto__'])('of the name %s are unknown', async (name) => {
    expect(await openChannel({}).open().call(name, null)).toMatchObject({ kind: 'error', code: 12 });
  });

  it('with a wrong argument do not reach their handler', async () => {
    const { call } = openChannel({ 'runs.get': () => run('reached') }).open();
    expect(await call('runs.get', { run: '../x' })).toMatchObject({ kind: 'error', code: 3 });
  });

  it('that find a bug leave it in the log', async () => {
    const { log, open } = openChannel({
      'runs.list': () => {
        throw new TypeError('a bug');
      },
    });
    expect(await open().call('runs.list', null)).toMatchObject({ kind: 'error', code: 13, message: 'a bug' });
    expect(log[0]).toMatch(/runs\.list failed: TypeError: a bug\n +at /);
  });

  it('that are no frames end in the log, and harm nobody', async () => {
    const { log, open } = openChannel({ 'runs.list': () => [] });
    const { connection, call } = open();
    connection.receive(new Uint8Array([1, 2, 3]));
    expect(log).toHaveLength(1);
    expect(await call('runs.list', null)).toMatchObject({ kind: 'result' });
  });
});

describe('events', () => {
  it('reach every window that is open', async () => {
    const { channel, open } = openChannel({});
    const [one, two, three] = [open(), open(), open()];
    three.connection.close();
    channel.emit('runs.removed', { run: 'r' });
    await delay(80);
    expect([one, two, three].map(({ frames }) => frames.length)).toEqual([1, 1, 0]);
  });

  it('come at most 20 times a second, with every sample and every line, and the newest state', async () => {
    const { channel, open } = openChannel({});
    const { frames } = open();
    const started = performance.now();
    for (let i = 0; i < 100; i++) {
      channel.emit('runs.samples', { run: 'r', series: [samplesOf([i])] });
      channel.emit('runs.logged', { run: 'r', lines: [{ number: i, time: 0, source: 's', kind: 'client', text: '' }] });
      channel.emit('runs.changed', { run: run(`${i}`) });
      await delay(2);
    }
    await delay(100);
    const events = frames.flatMap((frame) => (frame.kind === 'event' ? [frame] : []));
    const payloads = (name: string) => events.filter((event) => event.name === name).map(({ payload }) => payload) as never[];
    const batches: { series: SeriesColumns[] }[] = payloads('runs.samples');
    expect(batches.length).toBeLessThanOrEqual((performance.now() - started) / 50 + 1);
    expect(batches.flatMap(({ series }) => series.flatMap(({ values }) => [...values]))).toEqual([...Array(100).keys()]);
    const logged: { lines: { number: number }[] }[] = payloads('runs.logged');
    expect(logged.flatMap((each) => each.lines.map(({ number }) => number))).toEqual([...Array(100).keys()]);
    expect(payloads('runs.changed').at(-1)).toEqual({ run: run('99') });
  });

  it('wait for a busy window, joined, and other windows do not', async () => {
    const { channel, open } = openChannel({});
    const [slow, quick] = [open(), open()];
    slow.link.isBusy = true;
    for (let i = 0; i < 3; i++) {
      channel.emit('runs.samples', { run: 'r', series: [samplesOf([i])] });
      await delay(60);
    }
    expect(slow.frames).toEqual([]);
    expect(quick.frames).toHaveLength(3);
    slow.link.isBusy = false;
    slow.connection.drained();
    await delay(60);
    expect(slow.frames).toEqual([{ kind: 'event', name: 'runs.samples', payload: { run: 'r', series: [samplesOf([0, 1, 2])] } }]);
  });

  it('that were told before an answer come before it', async () => {
    const { channel, open } = openChannel({
      'runs.list': () => {
        channel.emit('runs.removed', { run: 'r' });
        return [];
      },
    });
    const { call, frames } = open();
    await call('runs.list', null);
    await call('runs.list', null);
    expect(frames.map(({ kind }) => kind)).toEqual(['event', 'result', 'event', 'result']);
  });
});
