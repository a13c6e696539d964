import type { InstallInfo, SshLogin, SshTarget } from '#proto/ipc/contract/machines.ts';
import type { Bundle } from './bundle/bundle.ts';
import { type Platform, platformName } from './bundle/platform.ts';
import { installBySsh, type SshWorkEnv, uninstallBySsh } from './by-ssh.ts';
import type { Component } from './component/component.ts';
import { InstallJob } from './install-job.ts';
import { installedMessage, uninstalledMessage } from './messages.ts';
import type { Enroll } from './remote/steps.ts';
import { Slots } from './slots.ts';
import type { SshEnv } from './ssh/ssh-env.ts';

export interface InstallQueueOptions {
  readonly ssh: Omit<SshEnv, 'askHostKey'>;
  readonly bundleFor: (platform: Platform) => Promise<Bundle>;
  /** The component in a folder here. */
  readonly componentOf: (folder: string, platform: Platform) => Promise<Component>;
  readonly enroll: Enroll;
  /** Called after changes with all there is; while something is uploaded not more often than ten times a second. */
  readonly onChange: (infos: readonly InstallInfo[]) => void;
  readonly onInstalled?: (target: SshTarget) => void;
  /** Called with the machine's id where there was something to remove and it had one. */
  readonly onUninstalled?: (machine: string) => void;
  /** Machines that are worked on at the same time. Default: 4. */
  readonly parallel?: number;
}

const PARALLEL = 4;
const INTERVAL_MS = 100;

/** Installs and removes the agent on many machines. What is through stays listed until it is cancelled or begun anew. */
export class InstallQueue {
  readonly #options: InstallQueueOptions;
  readonly #slots: Slots;
  readonly #jobs = new Map<string, InstallJob>();
  readonly #running = new Set<Promise<void>>();
  readonly #bundles = new Map<string, Promise<Bundle>>();
  readonly #components = new Map<string, Promise<Component>>();
  #toldAt = 0;

  constructor(options: InstallQueueOptions) {
    this.#options = options;
    this.#slots = new Slots(options.parallel ?? PARALLEL);
  }

  get infos(): readonly InstallInfo[] {
    return [...this.#jobs.values()].map(({ info }) => info);
  }

  /**
   * Begins work on all of these; those that are being worked on already are left alone. `component`: a folder with what is to be
   * brought there besides.
   */
  install(targets: readonly SshTarget[], login: SshLogin, component = ''): void {
    const { enroll, onInstalled } = this.#options;
    this.#begin('install', targets, login, async (target, env) => {
      const componentFor = component === '' ? undefined : (platform: Platform) => this.#componentOf(component, platform);
      const installed = await installBySsh(target, { ...env, enroll, bundleFor: (platform) => this.#bundleFor(platform), componentFor });
      onInstalled?.(target);
      return installedMessage(installed);
    });
  }

  uninstall(targets: readonly SshTarget[], login: SshLogin): void {
    const { onUninstalled } = this.#options;
    this.#begin('uninstall', targets, login, async (target, env) => {
      const uninstalled = await uninstallBySsh(target, env);
      if (uninstalled.machine !== '') onUninstalled?.(uninstalled.machine);
      return uninstalledMessage(uninstalled);
    });
  }

  /** The user's word on the keys that these wait for. */
  answerHostKeys(targets: readonly SshTarget[], accept: boolean): void {
    for (const job of this.#jobsOf(targets)) job.answer(accept);
  }

  /** Ends the work on these, and takes those that are through off the list. */
  cancel(targets: readonly SshTarget[]): void {
    for (const job of this.#jobsOf(targets)) {
      if (job.isOver) this.#jobs.delete(keyOf(job.info));
      else job.cancel();
    }
    this.#tell();
  }

  /** Resolves when nothing is being worked on. */
  async finished(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Ends all work; resolves when the machines are as they were before it. */
  async close(): Promise<void> {
    for (const job of this.#jobs.values()) if (!job.isOver) job.cancel();
    await this.finished();
  }

  #begin(
    kind: InstallInfo['kind'],
    targets: readonly SshTarget[],
    login: SshLogin,
    work: (target: SshTarget, env: SshWorkEnv) => Promise<string>,
  ): void {
    for (const target of targets) {
      if (this.#jobs.get(keyOf(target))?.isOver === false) continue;
      const job = new InstallJob({ target, kind, slots: this.#slots, onChange: (isSmall) => this.#tell(isSmall) });
      this.#jobs.set(keyOf(target), job);
      const ssh: SshEnv = { ...this.#options.ssh, askHostKey: (question) => job.ask(question) };
      const running = job.run(() => work(target, { ssh, login, signal: job.signal, onProgress: (progress) => job.report(progress) }));
      this.#running.add(running);
      void running.then(() => this.#running.delete(running));
    }
    this.#tell();
  }

  /** Several machines wait for the same one. */
  #bundleFor(platform: Platform): Promise<Bundle> {
    return shared(this.#bundles, platformName(platform), () => this.#options.bundleFor(platform));
  }

  #componentOf(folder: string, platform: Platform): Promise<Component> {
    return shared(this.#components, `${platformName(platform)} ${folder}`, () => this.#options.componentOf(folder, platform));
  }

  #jobsOf(targets: readonly SshTarget[]): readonly InstallJob[] {
    return targets.flatMap((target) => this.#jobs.get(keyOf(target)) ?? []);
  }

  #tell(isSmall = false): void {
    const now = performance.now();
    if (isSmall && now - this.#toldAt < INTERVAL_MS) return;
    this.#toldAt = now;
    this.#options.onChange(this.infos);
  }
}

/** Of those who come while it is being made, all get the same one. */
function shared<T>(all: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const making = all.get(key) ?? make().finally(() => all.delete(key));
  all.set(key, making);
  return making;
}

function keyOf({ host, port }: SshTarget): string {
  return `${host.toLowerCase()} ${port}`;
}
