import type { ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import { Code, type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { App } from '../../stores/app.ts';
import type { ClusterEditor } from './cluster-editor.svelte.ts';
import { draftOf, type StopReport, shortTask, stopReport, withoutTask } from './cluster-life.ts';
import { costOf } from './running-change.ts';

/** What one does with a cluster as a whole and with its tasks, and what came of it. */
export class ClusterControl {
  busy = $state.raw(false);
  /** An opening is being ended. */
  isClosing = $state.raw(false);
  /** Why the last start failed. */
  startError = $state.raw<StatusError | undefined>(undefined);
  stopped = $state.raw<(StopReport & { readonly seconds: number }) | undefined>(undefined);
  readonly #app: App;
  readonly #editor: ClusterEditor;

  constructor(app: App, editor: ClusterEditor) {
    this.#app = app;
    this.#editor = editor;
  }

  async start(): Promise<void> {
    this.startError = undefined;
    this.stopped = undefined;
    await this.#whileBusy(() => this.#editor.save());
    // What would start is not what is shown.
    if (this.#editor.saveError) {
      this.startError = this.#editor.saveError;
      return;
    }
    await this.#orSayWhyNot(() => this.#app.core.call('clusters.start', { cluster: this.#editor.id }));
  }

  /** Makes the running cluster what was edited, after asking where that costs something. False when nothing was changed. */
  async applyChanges(): Promise<boolean> {
    const { confirmation, i18n } = this.#app;
    const { text } = i18n;
    const { restarted, removed } = costOf(this.#editor.saved, this.#editor.draft);
    if (restarted.length + removed.length > 0) {
      const names = [...restarted, ...removed].join('  ');
      const question = {
        title: text('cluster.applyTitle', { count: restarted.length }),
        text: text('cluster.applyText', { names }),
        action: text('cluster.applyChanges'),
      };
      if (!(await confirmation.ask(question))) return false;
    }
    this.startError = undefined;
    await this.#editor.apply();
    if (this.#editor.saveError?.code !== Code.CANCELLED) this.startError = this.#editor.saveError;
    // What could not be started is kept all the same, and shown as lost.
    return !this.#editor.isDirty;
  }

  /** Whether the agent starts the task again when it ends by itself; what runs goes on. */
  async switchRestart(cluster: ClusterInfo, { name }: TaskInfo, restart: boolean): Promise<void> {
    const jobs = cluster.jobs.map((job) => ({
      ...job,
      tasks: job.tasks.map((task) => (task.name === name ? { ...task, restart } : task)),
    }));
    const draft = draftOf({ title: cluster.title, jobs });
    await this.#app.toasts.guard(() => this.#app.core.call('clusters.save', { id: this.#editor.id, ...draft }));
  }

  /** For programs on this computer that cannot talk to tasks on other machines by themselves. */
  async setGateway(open: boolean): Promise<void> {
    await this.#app.toasts.guard(() => this.#app.core.call('clusters.setGateway', { cluster: this.#editor.id, open }));
  }

  /** Ends what lets machines in that know no TLS, before its time. */
  async closeOpenings({ title }: ClusterInfo): Promise<void> {
    const { core, toasts, i18n } = this.#app;
    this.isClosing = true;
    await toasts.guard(async () => {
      await core.call('clusters.close', { cluster: this.#editor.id });
      toasts.say(i18n.text('opening.closed', { title }));
    });
    this.isClosing = false;
  }

  async stop(): Promise<void> {
    const began = performance.now();
    await this.#whileBusy(() =>
      this.#app.toasts.guard(async () => {
        const info = await this.#app.core.call('clusters.stop', { cluster: this.#editor.id });
        this.stopped = { ...stopReport(info), seconds: (performance.now() - began) / 1000 };
      }),
    );
  }

  /** Starts again without a task that does not come up. */
  async startWithout(cluster: ClusterInfo, task: TaskInfo): Promise<void> {
    await this.stop();
    this.#editor.edit(() => withoutTask(cluster, task.name));
    await this.start();
  }

  async restart({ name }: TaskInfo): Promise<void> {
    await this.#app.toasts.guard(() => this.#app.core.call('clusters.restartTask', { cluster: this.#editor.id, task: name }));
  }

  /** Puts a task on another machine, where all of the cluster goes on; the dialog has said what is lost. */
  async move({ name }: TaskInfo, machine: string): Promise<void> {
    await this.#orSayWhyNot(() => this.#app.core.call('clusters.move', { cluster: this.#editor.id, task: name, machine }));
  }

  async disturb({ name }: TaskInfo, how: 'kill' | 'pause' | 'resume'): Promise<void> {
    await this.#app.toasts.guard(() => this.#app.core.call('clusters.disturbTask', { cluster: this.#editor.id, task: name, how }));
  }

  /** Asks first: what a task holds is lost. */
  async restartAfterAsking(task: TaskInfo): Promise<void> {
    const { text } = this.#app.i18n;
    const name = shortTask(task.name);
    const question = { title: text('cluster.restartTitle', { name }), text: text('cluster.lossText'), action: text('cluster.restart') };
    if (await this.#app.confirmation.ask(question)) await this.restart(task);
  }

  async killAfterAsking(task: TaskInfo): Promise<void> {
    const { text } = this.#app.i18n;
    const name = shortTask(task.name);
    const question = { title: text('cluster.killTitle', { name }), text: text('cluster.lossText'), action: text('cluster.kill') };
    if (await this.#app.confirmation.ask(question)) await this.disturb(task, 'kill');
  }

  async clearVariables(): Promise<void> {
    const { confirmation, i18n, toasts, core } = this.#app;
    const { text } = i18n;
    const question = { title: text('cluster.clearTitle'), text: text('cluster.clearText'), action: text('cluster.clear') };
    if (!(await confirmation.ask(question))) return;
    await toasts.guard(async () => {
      await core.call('clusters.clearVariables', { cluster: this.#editor.id });
      toasts.say(text('cluster.cleared'));
    });
  }

  async remove(title: string): Promise<void> {
    const { confirmation, i18n, toasts, core, router, clusters } = this.#app;
    const { text } = i18n;
    const question = { title: text('cluster.removeTitle', { title }), text: text('cluster.removeText'), action: text('cluster.remove') };
    if (!(await confirmation.ask(question))) return;
    await toasts.guard(async () => {
      await core.call('clusters.remove', { cluster: this.#editor.id });
      await clusters.load();
      router.go('cluster');
    });
  }

  /** Does what starts tasks. */
  async #orSayWhyNot(start: () => Promise<unknown>): Promise<void> {
    this.startError = undefined;
    try {
      await start();
    } catch (error) {
      const failure = toStatusError(error);
      // Who cancels knows it.
      if (failure.code !== Code.CANCELLED) this.startError = failure;
    }
  }

  async #whileBusy(action: () => Promise<void>): Promise<void> {
    this.busy = true;
    try {
      await action();
    } finally {
      this.busy = false;
    }
  }
}
