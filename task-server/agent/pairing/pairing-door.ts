import type { Socket } from 'node:net';
import { Server, ServerCredentials, type ServerOptions } from '@grpc/grpc-js';
import { PairingService } from '#proto/generated/lanflow/pairing_pb.ts';
import { methodDefinition } from '#proto/wire/method-definition.ts';
import type { Log } from '../../service/log.ts';
import { answer, rpcMethod } from '../control/rpc-method.ts';
import type { Machine } from '../machine/machine.ts';
import type { MachineTrust } from '../trust/machine-trust.ts';
import type { PairingDesk } from './pairing-desk.ts';

export interface PairingServiceEnv {
  readonly machine: Machine;
  readonly desk: PairingDesk;
  readonly trust: Pick<MachineTrust, 'published'>;
  readonly log: Log;
}

/** Strangers call: no message is large. */
const options: ServerOptions = {
  'grpc.enable_channelz': 0,
  'grpc.max_receive_message_length': 256 * 1024,
  'grpc.max_concurrent_streams': 8,
};

/** What everybody on the LAN may call. Who makes it stops it. */
export class PairingDoor {
  readonly #server = new Server(options);
  readonly #injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());

  constructor({ machine, desk, trust, log }: PairingServiceEnv) {
    const { method } = PairingService;
    const methods = [
      rpcMethod(method.hello, async () => {
        const { id, startId, hostName, version, lab } = machine.facts;
        return { machine: id, startId, hostName, version: { ...version }, lab, time: Date.now(), isPairing: desk.isPairing };
      }),
      rpcMethod(method.getTrust, () => trust.published()),
      rpcMethod(method.startPairing, async ({ request }) => desk.start(request)),
      rpcMethod(method.finishPairing, async ({ attempt, request }) => ({ sealed: await desk.finish(attempt, request) })),
      rpcMethod(method.completePairing, async ({ attempt, sealed }) => {
        await desk.complete(attempt, sealed);
        return {};
      }),
    ];
    const env = { authorize: () => undefined, onCall: (name: string) => log.debug(`${name} by a stranger`), onFailure: log.debug };
    const implementation = Object.fromEntries(methods.map((each) => [each.descriptor.name, answer(each, env)]));
    const definition = Object.fromEntries(methods.map(({ descriptor }) => [descriptor.name, methodDefinition(descriptor)]));
    this.#server.addService(definition, implementation);
  }

  /** Takes over a connection that came in by a door of the caller's. */
  accept(socket: Socket): void {
    this.#injector.injectConnection(socket);
  }

  stop(): void {
    this.#injector.destroy();
    this.#server.forceShutdown();
  }
}
