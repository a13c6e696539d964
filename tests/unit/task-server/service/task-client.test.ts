import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aborted, Code, cancelled, deadlineExceeded, type StatusError, unavailable } from '#proto/wire/status.ts';
import { ropeOf } from '../../../../task-server/service/rope.ts';
import { TaskClient } from '../../../../task-server/service/task-client.ts';
import type { CallLimits, Transport } from '../../../../task-server/service/transport.ts';

const peer = { task: '/job:ps/replica:0/task:0', address: '10.0.0.7:2222' };
const nothing = ropeOf(new Uint8Array(0));

/** What a peer answers to a call. */
type Answer = (path: string, limits: CallLimits) => Promise<Buffer>;

function transportTo(answer: Answer): Transport {
  return {
    hasLink: false,
    close: () => undefined,
    start(path, _, limits) {
      let cancel = (_: StatusError): void => {};
      const cancellation = new Promise<never>((_, reject) => {
        cancel = reject;
      });
      return { response: Promise.race([answer(path, limits), cancellation]), cancel };
    },
  };
}

function clientOver(answer: Answer): TaskClient {
  return new TaskClient(peer, 'tensorflow.WorkerService', transportTo(answer));
}

async function failureOf(answer: Answer): Promise<StatusError> {
  return clientOver(answer)
    .call('RunGraph', nothing)
    .then(
      () => expect.unreachable(),
      (error) => error,
    );
}

describe('errors', () => {
  it('name the remote task and the method', async () => {
    const error = await failureOf(() => Promise.reject(aborted('Graph handle is not found: 1')));
    expect(error.code).toBe(Code.ABORTED);
    expect(error.message).toMatch(
      /^Graph handle is not found: 1\nAdditional GRPC error information from remote target \/job:ps\/replica:0\/task:0 while calling \/tensorflow\.WorkerService\/RunGraph:\n:\{/,
    );
  });

  it.each([
    ['No connection established. Last error: connect ECONNREFUSED 10.0.0.7:2222', 'Connection refused'],
    ['Name resolution failed for target dns:nowhere:1', 'the host name is not known'],
    ['No connection established. Last error: connect ETIMEDOUT 10.0.0.7:2222', 'Connection timed out'],
  ])('say in words why there is no connection: %s', async (details, reason) => {
    const error = await failureOf(() => Promise.reject(unavailable(details)));
    expect(error.code).toBe(Code.UNAVAILABLE);
    expect(error.message).toContain(`failed to connect to ${peer.task} at ${peer.address}: ${reason}`);
  });

  it('tell a lost connection from one that never was', async () => {
    const error = await failureOf(() => Promise.reject(unavailable('Connection dropped')));
    expect(error.message).toContain(`lost the connection to ${peer.task} at ${peer.address}`);
  });

  it("leave the peer's own UNAVAILABLE as it is", async () => {
    const error = await failureOf(() => Promise.reject(unavailable('/job:ps/replica:0/task:0 is shutting down')));
    expect(error.message).toMatch(/^\/job:ps\/replica:0\/task:0 is shutting down\n/);
  });

  it('of a cancelled call are the reason of the cancellation, undecorated', async () => {
    const controller = new AbortController();
    const outcome = clientOver(() => new Promise(() => {})).call('RunGraph', nothing, { signal: controller.signal });
    controller.abort(cancelled('Session closed'));
    await expect(outcome).rejects.toMatchObject({ code: Code.CANCELLED, message: 'Session closed' });
  });
});

describe('waiting', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('fails at once when not told to wait', async () => {
    await expect(failureOf(() => Promise.reject(unavailable('ECONNREFUSED')))).resolves.toMatchObject({ code: Code.UNAVAILABLE });
  });

  it('tells within 5 s about a task that does not even refuse', async () => {
    const reasons: string[] = [];
    void clientOver(() => new Promise(() => {})).call('GetStatus', nothing, {
      waitForReady: true,
      onWait: ({ message }) => reasons.push(message),
    });
    await vi.advanceTimersByTimeAsync(5000);
    expect(reasons).toEqual([`no answer yet from ${peer.task} at ${peer.address}`]);
  });

  it('gives every try the same deadline', async () => {
    const deadlines: (number | undefined)[] = [];
    const answer: Answer = (_, { deadline }) => {
      deadlines.push(deadline);
      return Promise.reject(deadlines.length < 3 ? unavailable('not yet') : deadlineExceeded('late'));
    };
    const outcome = clientOver(answer).call('GetStatus', nothing, { waitForReady: true, timeoutMs: 3000 });
    outcome.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(3000);
    await expect(outcome).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED });
    expect(new Set(deadlines).size).toBe(1);
  });

  it('turns a peer that is connected but dead into UNAVAILABLE within 60 s', async () => {
    const answer: Answer = (path, { deadline }) =>
      new Promise((_, reject) => {
        if (path.endsWith('/GetStatus')) setTimeout(() => reject(deadlineExceeded('late')), (deadline ?? 0) - Date.now());
      });
    const outcome = clientOver(answer).call('RunGraph', nothing);
    outcome.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    await expect(outcome).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: expect.stringContaining('no sign of life') });
  });

  it('lets a call block for hours at a peer that lives', async () => {
    let isSettled = false;
    const answer: Answer = (path) => (path.endsWith('/GetStatus') ? Promise.resolve(Buffer.alloc(0)) : new Promise(() => {}));
    const client = clientOver(answer);
    const settle = () => {
      isSettled = true;
    };
    client.call('RunGraph', nothing).then(settle, settle);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(isSettled).toBe(false);
    client.dispose();
    expect(vi.getTimerCount()).toBe(0);
  });
});
