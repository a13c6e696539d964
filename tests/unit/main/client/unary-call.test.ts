import { type Client, Server, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, expect, it } from 'vitest';
import { openChannel } from '../../../../main/client/session/channel.ts';
import { methods } from '../../../../main/client/session/master-methods.ts';
import { unaryCall } from '../../../../main/client/session/unary-call.ts';

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

/** A server that answers GetStatus, but for the calls that `block` names by their number. */
async function channelTo(block: number): Promise<{ client: Client; cancelled: Promise<void> }> {
  const server = new Server();
  closers.push(() => server.forceShutdown());
  const raw = (bytes: Buffer): Buffer => bytes;
  const path = methods.getStatus.path;
  const codec = { requestSerialize: raw, requestDeserialize: raw, responseSerialize: raw, responseDeserialize: raw };
  let calls = 0;
  const cancelled = new Promise<void>((resolve) => {
    server.addService(
      { GetStatus: { path, requestStream: false, responseStream: false, ...codec } },
      {
        GetStatus: (call: { on(event: string, listener: () => void): void }, answer: (error: null, bytes: Buffer) => void) => {
          if (++calls !== block) answer(null, Buffer.alloc(0));
          else call.on('cancelled', resolve);
        },
      },
    );
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  const client = openChannel(`127.0.0.1:${port}`);
  closers.push(() => client.close());
  return { client, cancelled };
}

it('a cancellation in the very tick in which the call was made reaches the server', async () => {
  const { client, cancelled } = await channelTo(2);
  await unaryCall(client, methods.getStatus, {});
  const controller = new AbortController();
  const call = unaryCall(client, methods.getStatus, {}, { signal: controller.signal });
  controller.abort();
  await expect(call).rejects.toMatchObject({ codeName: 'CANCELLED' });
  await cancelled;
});
