import { isLoopback } from '#proto/trust/dialler.ts';
import type { Log } from '../../service/log.ts';
import { Advertiser } from '../advertise/advertiser.ts';
import type { AdvertisedAgent } from '../advertise/records.ts';
import { memberAuthorizer, userAuthorizer } from '../control/authorization.ts';
import { type ControlEnv, ControlServer } from '../control/control-server.ts';
import { PairingDoor } from '../pairing/pairing-door.ts';
import { LanDoor } from './lan-door.ts';

export interface LanEnv extends Omit<ControlEnv, 'door' | 'authorize'> {
  readonly dataFolder: string;
  readonly listen: string | undefined;
  readonly port: number;
  /** Others are told that it is there. */
  readonly isAnnounced: boolean;
  readonly desk: NonNullable<ControlEnv['desk']>;
  readonly log: Log;
}

/** The agent as other machines see it. Who opens it closes it. */
export class Lan {
  readonly #door: LanDoor;
  readonly #servers: readonly { stop(): void }[];
  readonly #advertiser: Advertiser | undefined;
  readonly #stopListening: () => void;

  private constructor(
    door: LanDoor,
    servers: readonly { stop(): void }[],
    { dataFolder, machine, trust, listen, isAnnounced, log }: LanEnv,
  ) {
    this.#door = door;
    this.#servers = servers;
    const show = (): void => {
      const { lab, credentials } = trust;
      if (credentials) door.show(lab, credentials);
    };
    show();
    const announced = (): AdvertisedAgent => {
      const { id, startId, hostName, version, lab, port } = machine.facts;
      const versions = Object.fromEntries(Object.entries(version).map(([name, each]) => [name.toLowerCase(), each]));
      return { machine: id, startId, name: hostName, versions, lab, port, fingerprint: trust.fingerprint };
    };
    // What only this machine could reach is of no use to others.
    if (isAnnounced && (listen === undefined || !isLoopback(listen))) this.#advertiser = new Advertiser({ log: log.info, dataFolder });
    this.#advertiser?.start(announced());
    this.#stopListening = trust.listen(() => {
      show();
      this.#advertiser?.update(announced());
    });
  }

  /** UNAVAILABLE when it cannot listen. */
  static async open(env: LanEnv): Promise<Lan> {
    const users = new ControlServer({ ...env, door: 'lab', authorize: userAuthorizer });
    const members = new ControlServer({ ...env, door: 'lab', authorize: memberAuthorizer });
    const pairing = new PairingDoor(env);
    const door = await LanDoor.open({
      listen: env.listen,
      port: env.port,
      log: env.log,
      onMember: (socket, member) => (member.some(({ kind }) => kind === 'user') ? users : members).accept(socket),
      onStranger: (socket) => pairing.accept(socket),
    });
    env.machine.learn({ port: door.port });
    return new Lan(door, [users, members, pairing], env);
  }

  get port(): number {
    return this.#door.port;
  }

  /** Says goodbye; resolves when every connection is cut and the port is free. */
  async close(): Promise<void> {
    this.#stopListening();
    for (const server of this.#servers) server.stop();
    await Promise.all([this.#advertiser?.stop(), this.#door.close()]);
  }
}
