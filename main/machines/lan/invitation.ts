import { create, type DescMethodUnary, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type handleUnaryCall, Server, ServerCredentials, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { TrustSchema } from '#proto/generated/lanflow/agent_pb.ts';
import { type GuestRequest, GuestRequestSchema, InvitationService } from '#proto/generated/lanflow/pairing_pb.ts';
import { PAIRING_LIMIT_MS, PairingServer } from '#proto/trust/pairing/pairing-server.ts';
import { makePin, type PairingEffort } from '#proto/trust/pairing/pin.ts';
import type { Sealed } from '#proto/trust/pairing/sealed.ts';
import { methodDefinition } from '#proto/wire/method-definition.ts';
import { notFound, toStatusError, unavailable } from '#proto/wire/status.ts';
import type { LabTrust } from './authority.ts';

export interface InvitationEnv {
  /** Signs the guest's request, once he has proved to know the PIN. */
  readonly admitUser: (user: string, request: string) => Promise<LabTrust>;
  /** Somebody has come, or the time is over. */
  readonly onOver: (guest: string | undefined) => void;
  readonly log: (line: string) => void;
  readonly effort?: PairingEffort;
}

/** What both ends call the end that invites: the guest knows nothing of it but where it is. */
export const HOST_NAME = 'invitation';
/** Strangers call: no message is large. */
const OPTIONS = { 'grpc.enable_channelz': 0, 'grpc.max_receive_message_length': 256 * 1024 };
const { method } = InvitationService;

/** A PIN that makes one guest a user of the lab, good for a while and on one port, which is closed when it is over. */
export class Invitation {
  readonly pin: string;
  readonly #env: InvitationEnv;
  readonly #desk: PairingServer;
  readonly #server = new Server(OPTIONS);
  readonly #timer: NodeJS.Timeout;
  readonly #proved = new Map<string, Sealed>();
  #port = 0;

  private constructor(env: InvitationEnv, pin: string, desk: PairingServer) {
    this.pin = pin;
    this.#env = env;
    this.#desk = desk;
    this.#timer = setTimeout(() => this.#finish(undefined), PAIRING_LIMIT_MS).unref();
    this.#serve(method.startPairing, async ({ request }) => this.#desk.start(request));
    this.#serve(method.finishPairing, async ({ attempt, request }) => {
      this.#proved.set(attempt, this.#desk.finish(attempt, request));
      return {};
    });
    this.#serve(method.admitGuest, async ({ attempt, sealed }) => ({ sealed: await this.#admit(attempt, sealed) }));
  }

  /** Listens on any free port. UNAVAILABLE when that is not possible. */
  static async open(env: InvitationEnv): Promise<Invitation> {
    const pin = makePin();
    const desk = await PairingServer.create({ pin, name: HOST_NAME, ...(env.effort && { effort: env.effort }) });
    const invitation = new Invitation(env, pin, desk);
    await invitation.#listen();
    return invitation;
  }

  get port(): number {
    return this.#port;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#server.forceShutdown();
  }

  async #admit(attempt: string, message: Uint8Array): Promise<Uint8Array> {
    const sealed = this.#proved.get(attempt);
    if (!sealed) throw notFound('This invitation is over, or there never was one');
    this.#proved.delete(attempt);
    const { user, request }: GuestRequest = fromBinary(GuestRequestSchema, sealed.open(message));
    const trust = await this.#env.admitUser(user, request);
    // The answer goes out before the door is closed.
    setImmediate(() => this.#finish(user));
    return sealed.seal(toBinary(TrustSchema, create(TrustSchema, trust)));
  }

  #serve<M extends DescMethodUnary>(
    descriptor: M,
    handle: (request: MessageShape<M['input']>) => Promise<MessageInitShape<M['output']>>,
  ): void {
    const call: handleUnaryCall<MessageShape<M['input']>, Uint8Array> = async ({ request }, callback) => {
      try {
        callback(null, toBinary(descriptor.output, create(descriptor.output, await handle(request))));
      } catch (thrown) {
        const { code, codeName, message } = toStatusError(thrown);
        this.#env.log(`${descriptor.name} of a guest failed: ${codeName}: ${message}`);
        callback({ code, details: message });
      }
    };
    const implementation: UntypedServiceImplementation = { [descriptor.name]: call };
    this.#server.addService({ [descriptor.name]: methodDefinition(descriptor) }, implementation);
  }

  /** On all addresses; where IPv6 is off, on those of IPv4. */
  async #listen(): Promise<void> {
    try {
      this.#port = await this.#bind('[::]:0').catch(() => this.#bind('0.0.0.0:0'));
    } catch (error) {
      throw unavailable(`Nobody can be invited: ${toStatusError(error).message}`, { cause: error });
    }
  }

  #bind(address: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => (error ? reject(error) : resolve(port)));
    });
  }

  #finish(guest: string | undefined): void {
    clearTimeout(this.#timer);
    this.#server.tryShutdown(() => undefined);
    this.#env.onOver(guest);
  }
}
