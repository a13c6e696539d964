import { command, ip } from './command.ts';

export interface NetworkSpec {
  /** First three numbers of its IPv4 addresses; null: link-local IPv6 only. */
  readonly subnet?: string | null;
  readonly mtu?: number;
  /** The machines have a default route, through a router at .1 that joins all networks which have one. */
  readonly router?: boolean;
}

/** First three numbers of the addresses on a lab's n-th network. The host may be on one of each test file that runs at the same time. */
export function subnetOf(index = 0): string {
  return `10.${76 + Number(process.env['VITEST_POOL_ID'] ?? 1)}.${index + 1}`;
}

/** The cables and switches of a lab: bridges in a network namespace of their own, so that nothing shows on the host. */
export class Networks {
  readonly #space: string;
  readonly #specs: Readonly<Record<string, NetworkSpec>>;

  constructor(space: string, specs: Readonly<Record<string, NetworkSpec>>) {
    this.#space = space;
    this.#specs = specs;
  }

  async open(): Promise<void> {
    await ip('netns', 'add', this.#space);
    await ip('-n', this.#space, 'link', 'set', 'lo', 'up');
    for (const [index, name] of Object.keys(this.#specs).entries()) await this.#addSwitch(name, index);
  }

  async #addSwitch(name: string, index: number): Promise<void> {
    const bridge = bridgeOf(index);
    await ip('-n', this.#space, 'link', 'add', bridge, 'type', 'bridge', 'mcast_snooping', '0');
    if (this.#specs[name]?.router) {
      await ip('-n', this.#space, 'address', 'add', `${this.#subnet(name)}.1/24`, 'dev', bridge);
      await command('ip', 'netns', 'exec', this.#space, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
    }
    await ip('-n', this.#space, 'link', 'set', bridge, 'up');
  }

  /** A cable from the switch to a network interface of another namespace (a process id or name); answers the switch's end of it. */
  async connect({ network, space, device, host }: { network: string; space: string; device: string; host: number }): Promise<Cable> {
    const index = Object.keys(this.#specs).indexOf(network);
    const spec = this.#specs[network];
    if (!spec) throw new Error(`The lab has no network '${network}'`);
    const port = `p${host}-${index}`;
    await ip('-n', this.#space, 'link', 'add', port, 'type', 'veth', 'peer', 'name', device, 'netns', space);
    await ip('-n', this.#space, 'link', 'set', port, 'master', bridgeOf(index));
    if (spec.mtu) {
      await ip('-n', this.#space, 'link', 'set', port, 'mtu', String(spec.mtu));
      await ip('-n', space, 'link', 'set', device, 'mtu', String(spec.mtu));
    }
    await ip('-n', this.#space, 'link', 'set', port, 'up');
    const address = spec.subnet === null ? undefined : `${this.#subnet(network)}.${host}`;
    if (address) await ip('-n', space, 'address', 'add', `${address}/24`, 'broadcast', '+', 'dev', device);
    await ip('-n', space, 'link', 'set', device, 'up');
    if (spec.router) await ip('-n', space, 'route', 'replace', 'default', 'via', `${this.#subnet(network)}.1`);
    return { network, port, device, address };
  }

  /** Power of the switch's port. */
  async setPlugged(port: string, isPlugged: boolean): Promise<void> {
    await ip('-n', this.#space, 'link', 'set', port, isPlugged ? 'up' : 'down');
  }

  /** Whether multicast reaches the machine at this port. Broadcast always does, so that IPv4 goes on. */
  async setMulticast(port: string, passes: boolean): Promise<void> {
    await this.#setPort(port, 'mcast_flood', passes ? 'on' : 'off');
  }

  /** Isolated ports reach only those that are not. */
  async setIsolated(port: string, isIsolated: boolean): Promise<void> {
    await this.#setPort(port, 'isolated', isIsolated ? 'on' : 'off');
  }

  #setPort(port: string, name: string, value: string): Promise<string> {
    return command('ip', 'netns', 'exec', this.#space, 'bridge', 'link', 'set', 'dev', port, name, value);
  }

  #subnet(name: string): string {
    return this.#specs[name]?.subnet ?? subnetOf(Object.keys(this.#specs).indexOf(name));
  }
}

export interface Cable {
  readonly network: string;
  /** The switch's end. */
  readonly port: string;
  /** The machine's end. */
  readonly device: string;
  readonly address: string | undefined;
}

const bridgeOf = (index: number): string => `switch${index}`;
