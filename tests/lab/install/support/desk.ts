import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bundle } from '../../../../main/install/bundle/bundle.ts';
import type { Platform } from '../../../../main/install/bundle/platform.ts';
import { installBySsh, uninstallBySsh } from '../../../../main/install/by-ssh.ts';
import { componentOf } from '../../../../main/install/component/component.ts';
import type { Installed } from '../../../../main/install/install.ts';
import type { Progress } from '../../../../main/install/progress.ts';
import type { Enroll } from '../../../../main/install/remote/steps.ts';
import { SshConnection } from '../../../../main/install/ssh/ssh-connection.ts';
import type { HostKeyQuestion, SshEnv } from '../../../../main/install/ssh/ssh-env.ts';
import type { Uninstalled } from '../../../../main/install/uninstall.ts';
import { Lab } from '../../../../main/store/lab/lab.ts';
import type { SshLogin, SshTarget } from '../../../../proto/ipc/contract/machines.ts';
import type { LabMachine } from '../../support/machine.ts';

export interface WorkOptions {
  readonly user: string;
  readonly password?: string;
  readonly login?: Partial<SshLogin>;
  readonly port?: number;
  /** Folder of what is installed besides. */
  readonly component?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** Somebody at the host of the lab, with a home and a lab of his own. */
export class Desk {
  readonly home: string;
  readonly questions: HostKeyQuestion[] = [];
  accepts = true;
  /** Socket of an SSH agent. */
  agent: string | undefined;
  readonly #lab: Lab;

  private constructor(home: string, lab: Lab) {
    this.home = home;
    this.#lab = lab;
  }

  static async open(): Promise<Desk> {
    const home = await mkdtemp(join(tmpdir(), 'lanflow-desk-'));
    return new Desk(home, await Lab.open({ folder: join(home, 'data'), userName: 'teacher', warn: () => undefined }));
  }

  get ssh(): SshEnv {
    return {
      home: this.home,
      userName: 'teacher',
      agent: this.agent,
      systemFolder: join(this.home, 'etc'),
      askHostKey: async (question) => {
        this.questions.push(question);
        return this.accepts;
      },
    };
  }

  readonly enroll: Enroll = async ({ machine, request }) => {
    const issued = await this.#lab.sign(request, [{ kind: 'machine', name: machine }]);
    return { lab: (await this.#lab.facts()).id, ...issued };
  };

  async install(machine: LabMachine, bundle: Bundle, options: WorkOptions): Promise<Installed> {
    const { component } = options;
    const componentFor = component === undefined ? undefined : (to: Platform) => componentOf(component, to, join(this.home, 'bundles'));
    return installBySsh(target(machine, options), {
      ...this.#env(options),
      enroll: this.enroll,
      bundleFor: async () => bundle,
      componentFor,
    });
  }

  uninstall(machine: LabMachine, options: WorkOptions): Promise<Uninstalled> {
    return uninstallBySsh(target(machine, options), this.#env(options));
  }

  connect(machine: LabMachine, options: WorkOptions): Promise<SshConnection> {
    return this.connectTo(target(machine, options), options);
  }

  connectTo(to: SshTarget, options: WorkOptions): Promise<SshConnection> {
    const { ssh: env, login, signal } = this.#env(options);
    return SshConnection.open(to, login, { env, signal });
  }

  close(): Promise<void> {
    return rm(this.home, { recursive: true });
  }

  #env({ user, password = 'secret', login = {}, signal = new AbortController().signal, onProgress = () => undefined }: WorkOptions) {
    return { ssh: this.ssh, login: { user, password, keyFile: '', passphrase: '', ...login }, signal, onProgress };
  }
}

function target(machine: LabMachine, { port = 22 }: WorkOptions): SshTarget {
  return { host: machine.address(), port };
}
