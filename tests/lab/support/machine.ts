import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenOf } from '../../support/processes.ts';
import { startChild, type TaskChild } from '../../support/task-child.ts';
import { type CommandResult, command, ip, tryCommand } from './command.ts';
import type { Cable, Networks } from './network.ts';

export interface MachineSpec {
  readonly name: string;
  /** Its own idea of its name; several machines may have the same. */
  readonly hostName?: string;
  /** Those it is on from the start. Default: the first one. */
  readonly networks?: readonly string[];
  /** How far its clock is off, as libfaketime takes it: `+3d`, `-90s`. */
  readonly clock?: string;
}

export interface ExecOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly timeout?: number;
}

const INIT = fileURLToPath(new URL('./machine-init.sh', import.meta.url));
/** This project, and Node. */
const KEPT = [fileURLToPath(new URL('../../..', import.meta.url)), dirname(dirname(process.execPath))];
/** Debian's place for it. */
export const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/**
 * A computer of the lab: its own network, processes, host name, /etc, /run, /tmp and homes; everything else of the file system
 * is that of the host. It ends with the process that made it.
 */
export class LabMachine {
  readonly name: string;
  readonly hostName: string;
  readonly #space: string;
  readonly #index: number;
  readonly #clock: string | undefined;
  readonly #networks: Networks;
  readonly #cables: Cable[] = [];
  #unshare: ChildProcess | undefined;
  /** As the host sees it. */
  #init = 0;

  constructor({ spec, space, index, networks }: { spec: MachineSpec; space: string; index: number; networks: Networks }) {
    this.name = spec.name;
    this.hostName = spec.hostName ?? spec.name;
    this.#space = space;
    this.#index = index;
    this.#clock = spec.clock;
    this.#networks = networks;
  }

  async boot(networks: readonly string[]): Promise<void> {
    await ip('netns', 'add', this.#space);
    await ip('-n', this.#space, 'link', 'set', 'lo', 'up');
    // An address is usable at once: nobody else can have it.
    await command('ip', 'netns', 'exec', this.#space, 'sysctl', '-qw', 'net.ipv6.conf.default.accept_dad=0');
    for (const network of networks) await this.connect(network);
    const own = ['--uts', '--mount', '--pid', '--ipc', '--fork', '--mount-proc', '--kill-child'];
    const unshare = spawn('ip', ['netns', 'exec', this.#space, 'unshare', ...own, 'bash', INIT, this.hostName, ...KEPT], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#unshare = unshare;
    const said: string[] = [];
    unshare.stderr.on('data', (data) => said.push(String(data)));
    const [first] = await Promise.race([once(unshare.stdout, 'data'), once(unshare, 'exit')]);
    if (String(first).trim() !== 'ready') throw new Error(`Machine ${this.name} did not start: ${said.join('')}`);
    this.#init = childrenOf(unshare.pid ?? 0)[0]?.pid ?? 0;
  }

  /** Its IPv4 address on this network, or on its first one. */
  address(network?: string): string {
    const cable = network === undefined ? this.#cables[0] : this.#cable(network);
    if (!cable?.address) throw new Error(`Machine ${this.name} has no IPv4 address there`);
    return cable.address;
  }

  /** Runs a program in it to its end. */
  exec(program: string, args: readonly string[] = [], { env = {}, timeout }: ExecOptions = {}): Promise<CommandResult> {
    return tryCommand('nsenter', this.#enter(program, args, env), timeout);
  }

  /** What a shell there prints; rejects when it fails. */
  async shell(script: string): Promise<string> {
    const { code, stdout, stderr } = await this.exec('sh', ['-c', script]);
    if (code !== 0) throw new Error(`On ${this.name} failed with ${code}: ${script}\n${stderr}`);
    return stdout;
  }

  /** Starts a program in it. */
  spawn(program: string, args: readonly string[] = [], { env = {} }: ExecOptions = {}): TaskChild {
    const child = startChild({ program: 'nsenter', args: this.#enter(program, args, env) });
    return {
      ...child,
      // nsenter has entered the machine with a child of its own.
      kill: (signal) => {
        for (const { pid } of childrenOf(child.pid)) process.kill(pid, signal);
      },
    };
  }

  /** What a person types to get a shell there. */
  enterCommand(): string {
    return `nsenter -t ${this.#init} -u -m -p -i -n --wd=/root env HOME=/root bash`;
  }

  #enter(program: string, args: readonly string[], env: Readonly<Record<string, string>>): string[] {
    if (this.#clock && !existsSync(FAKETIME)) throw new Error('The clock of a machine can be off only with libfaketime installed');
    const clock = this.#clock && { LD_PRELOAD: FAKETIME, FAKETIME: this.#clock, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
    const base = { PATH: process.env['PATH'] ?? '', HOME: '/root', USER: 'root', LANG: 'C.UTF-8', ...clock, ...env };
    const variables = Object.entries(base).map(([key, value]) => `${key}=${value}`);
    return [
      '--target',
      String(this.#init),
      '--uts',
      '--mount',
      '--pid',
      '--ipc',
      '--net',
      '--wd=/root',
      'env',
      '-i',
      ...variables,
      program,
      ...args,
    ];
  }

  /** Another network card, by default the next `ethN`. */
  async connect(network: string, device = `eth${this.#cables.length}`): Promise<void> {
    this.#cables.push(await this.#networks.connect({ network, space: this.#space, device, host: this.#index + 10 }));
  }

  /** The cable of one network, or all of them. */
  async unplug(network?: string): Promise<void> {
    for (const { port } of this.#some(network)) await this.#networks.setPlugged(port, false);
  }

  async plug(network?: string): Promise<void> {
    for (const { port } of this.#some(network)) await this.#networks.setPlugged(port, true);
  }

  /** Its switch keeps multicast from it. */
  async blockMulticast(): Promise<void> {
    for (const { port } of this.#cables) await this.#networks.setMulticast(port, false);
  }

  async isolate(isIsolated = true): Promise<void> {
    for (const { port } of this.#cables) await this.#networks.setIsolated(port, isIsolated);
  }

  /** A firewall that says nothing: whoever connects to this TCP port never gets an answer. */
  async filterPort(port: number): Promise<void> {
    await ip('-n', this.#space, 'rule', 'add', 'ipproto', 'tcp', 'sport', String(port), 'blackhole');
  }

  /** As if its power was cut: no goodbye, no reset of connections. */
  async disappear(): Promise<void> {
    await this.unplug();
    await this.halt();
  }

  /** Ends all its processes. */
  async halt(): Promise<void> {
    const unshare = this.#unshare;
    if (!unshare || unshare.exitCode !== null || unshare.signalCode !== null) return;
    const ended = once(unshare, 'exit');
    unshare.kill('SIGKILL');
    await ended;
  }

  #some(network: string | undefined): readonly Cable[] {
    return network === undefined ? this.#cables : [this.#cable(network)];
  }

  #cable(network: string): Cable {
    const cable = this.#cables.find((each) => each.network === network);
    if (!cable) throw new Error(`Machine ${this.name} is not on network '${network}'`);
    return cable;
  }
}
