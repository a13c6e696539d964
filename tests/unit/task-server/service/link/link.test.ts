import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { aborted, Code, cancelled, invalidArgument } from '#proto/wire/status.ts';
import { HEADER_BYTES, Kind, MAGIC, writeHeader } from '../../../../../task-server/service/link/frame.ts';
import { Link } from '../../../../../task-server/service/link/link.ts';
import type { UnaryMethod } from '../../../../../task-server/service/unary-method.ts';
import { blocker, bulk, echo, envOf, linkPair, listen, message, noEvents } from './link-kit.ts';

const closers: (() => unknown)[] = [];

afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

async function pair(methods: readonly UnaryMethod[], own: readonly UnaryMethod[] = []) {
  const made = await linkPair(envOf(own), envOf(methods));
  closers.push(() => made.dialled.close());
  return made;
}

const failing = (error: Error): UnaryMethod => ({ name: 'Fail', handle: () => Promise.reject(error) });
const text = async (answer: Promise<Buffer>) => (await answer).toString();

describe('a call', () => {
  it('goes both ways over one connection', async () => {
    const { dialled, accepted, hello } = await pair([echo], [echo]);
    expect(await text(dialled.call('Echo', message('there'), {}).response)).toBe('there');
    expect(await text(accepted.call('Echo', message('back'), {}).response)).toBe('back');
    expect(hello).toBe('hello');
  });

  it('does not wait for one before it', async () => {
    const { method, begun } = blocker();
    const { dialled } = await pair([method, echo]);
    const blocked = dialled.call('Block', message(''), {});
    await begun;
    const answers = ['a', 'b'].map((each) => text(dialled.call('Echo', message(each), {}).response));
    expect(await Promise.all(answers)).toEqual(['a', 'b']);
    blocked.cancel(cancelled('enough'));
    await expect(blocked.response).rejects.toMatchObject({ code: Code.CANCELLED, message: 'enough' });
  });

  it('gives errors with code, text and derivedness, however long the text', async () => {
    const long = `bad\n${'ü'.repeat(10_000)}`;
    const root = await pair([failing(invalidArgument(long))]);
    await expect(root.dialled.call('Fail', message(''), {}).response).rejects.toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: long,
      derived: false,
    });
    const consequence = await pair([failing(aborted('Cleanup 1', { derived: true }))]);
    await expect(consequence.dialled.call('Fail', message(''), {}).response).rejects.toMatchObject({ code: Code.ABORTED, derived: true });
  });

  it('of a method that is not there is UNIMPLEMENTED', async () => {
    const { dialled } = await pair([]);
    await expect(dialled.call('Nothing', message(''), {}).response).rejects.toMatchObject({ code: Code.UNIMPLEMENTED });
  });

  it('that is cancelled ends at once, and the other side hears of it', async () => {
    const { method, begun, reason } = blocker();
    const { dialled } = await pair([method]);
    const call = dialled.call('Block', message(''), {});
    await begun;
    call.cancel(cancelled('enough'));
    await expect(call.response).rejects.toMatchObject({ message: 'enough' });
    expect(await reason).toMatchObject({ code: Code.CANCELLED });
  });

  it('that runs out of time ends on both sides', async () => {
    const { method, reason } = blocker();
    const { dialled } = await pair([method]);
    const { response } = dialled.call('Block', message(''), { deadline: Date.now() + 50 });
    await expect(response).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED });
    expect(await reason).toMatchObject({ code: Code.CANCELLED });
  });

  it('that is a notice is sent and done', async () => {
    const seen: string[] = [];
    const note: UnaryMethod = {
      name: 'Note',
      handle: async (request) => {
        seen.push(Buffer.from(request).toString());
        throw invalidArgument('nobody hears this');
      },
    };
    const { dialled } = await pair([note, echo]);
    await dialled.call('Note', message('one'), { isNotice: true }).response;
    await dialled.call('Echo', message(''), {}).response;
    expect(seen).toEqual(['one']);
  });
});

describe('a large message', () => {
  const size = 100_000_000;

  it.each(['dialler', 'other side'])('arrives as it was, and small calls of the %s pass it', async (receiver) => {
    const ends = await pair([bulk(size), echo], [bulk(size), echo]);
    const link = receiver === 'dialler' ? ends.dialled : ends.accepted;
    let isThere = false;
    const began = performance.now();
    const large = link.call('Bulk', message(''), {}).response.then((answer) => {
      isThere = true;
      return answer;
    });
    const waits: number[] = [];
    while (!isThere) {
      const begin = performance.now();
      await link.call('Echo', message('quick'), {}).response;
      waits.push(performance.now() - begin);
    }
    waits.sort((a, b) => a - b);
    expect(waits.length).toBeGreaterThan(5);
    // Each would wait for all of it if it did not pass.
    expect(waits[Math.floor(waits.length * 0.8)]).toBeLessThan((performance.now() - began) / 10);
    const answer = await large;
    expect(answer.length).toBe(size);
    expect(answer.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(Buffer.compare(answer.subarray(-1000), Buffer.alloc(1000, 9))).toBe(0);
  });

  it('that is cancelled on its way is given up, and the link goes on', async () => {
    const { dialled } = await pair([bulk(size), echo]);
    const call = dialled.call('Bulk', message(''), {});
    await dialled.call('Echo', message(''), {}).response;
    call.cancel(cancelled('enough'));
    await expect(call.response).rejects.toMatchObject({ message: 'enough' });
    expect(await text(dialled.call('Echo', message('still there'), {}).response)).toBe('still there');
    expect((await dialled.call('Bulk', message(''), {}).response).length).toBe(size);
  });
});

describe('the end of a connection', () => {
  it('ends the calls of both sides', async () => {
    const here = blocker();
    const there = blocker();
    const { dialled, accepted } = await pair([there.method], [here.method]);
    const calls = [dialled.call('Block', message(''), {}), accepted.call('Block', message(''), {})];
    await Promise.all([here.begun, there.begun]);
    dialled.close();
    for (const { response } of calls) {
      await expect(response).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: 'Connection dropped' });
    }
    expect(await here.reason).toMatchObject({ code: Code.CANCELLED });
    expect(await there.reason).toMatchObject({ code: Code.CANCELLED });
    await expect(dialled.call('Echo', message(''), {}).response).rejects.toMatchObject({ code: Code.UNAVAILABLE });
  });

  it.each([
    { what: 'in the middle of an answer', bytes: (call: number) => header(Kind.RESPONSE, { call, size: 10, total: 10 }), hangsUp: true },
    { what: 'with bytes that mean nothing', bytes: () => Buffer.alloc(64, 0xff), hangsUp: false },
  ])('comes $what', async ({ bytes, hangsUp }) => {
    const { link, socket } = await dialledByHand();
    const { response } = link.call('Echo', message(''), {});
    response.catch(() => undefined);
    await nextData(socket);
    socket.write(bytes(1));
    if (hangsUp) socket.end();
    await expect(response).rejects.toMatchObject({ code: Code.UNAVAILABLE });
  });

  it('comes for a caller that is silent while it waits', async () => {
    const { method, reason } = blocker();
    const { socket } = await acceptedByHand([method], 50);
    socket.write(requestOf('Block'));
    expect(await reason).toMatchObject({ code: Code.CANCELLED });
  });

  it('does not come for one that answers', async () => {
    const { method } = blocker();
    const { socket } = await acceptedByHand([method], 50);
    let pings = 0;
    socket.on('data', () => {
      pings++;
      socket.write(header(Kind.PONG, {}));
    });
    socket.write(requestOf('Block'));
    await sleep(400);
    expect(pings).toBeGreaterThan(1);
    expect(socket.readable).toBe(true);
  });
});

it('there is no link with a peer that answers something else', async () => {
  const listener = await listen();
  closers.push(() => listener.close());
  const outcome = new Promise<string>((resolve) => {
    Link.dial({ host: '127.0.0.1', port: listener.port }, 'hello', envOf([]), {
      onOpen: () => resolve('open'),
      onEnd: () => resolve('end'),
    });
  });
  (await listener.accepted()).write('HTTP/1.1 400 Bad Request\r\n\r\n');
  expect(await outcome).toBe('end');
});

function header(kind: Kind, { call = 0, size = 0, total = 0, nameSize = 0 }): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  writeHeader(bytes, { kind, call, size, total, nameSize, lead: 0 });
  return bytes;
}

function requestOf(name: string): Buffer {
  return Buffer.concat([header(Kind.REQUEST, { call: 1, size: name.length, nameSize: name.length }), Buffer.from(name)]);
}

function nextData(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => socket.once('data', resolve));
}

/** A link whose other end is a socket in the hands of the test. */
async function dialledByHand(): Promise<{ link: Link; socket: Socket }> {
  const listener = await listen();
  closers.push(() => listener.close());
  const accepted = listener.accepted();
  const link = await new Promise<Link>((resolve) => {
    Link.dial({ host: '127.0.0.1', port: listener.port }, 'hello', envOf([]), { ...noEvents, onOpen: resolve });
    void accepted.then((socket) => socket.once('data', () => socket.write(MAGIC)));
  });
  closers.push(() => link.close());
  return { link, socket: await accepted };
}

async function acceptedByHand(methods: readonly UnaryMethod[], silenceMs: number): Promise<{ socket: Socket }> {
  const listener = await listen();
  closers.push(() => listener.close());
  const socket = connect(listener.port, '127.0.0.1');
  closers.push(() => socket.destroy());
  Link.accept(await listener.accepted(), Buffer.alloc(0), envOf(methods, silenceMs), noEvents);
  await nextData(socket);
  socket.write(Buffer.concat([header(Kind.HELLO, { size: 2, total: 2 }), Buffer.from('me')]));
  return { socket };
}
