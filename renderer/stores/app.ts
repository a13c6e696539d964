import type { Core } from '../api/core.ts';
import type { Shell } from '../api/shell.ts';
import type { I18n } from '../locales/i18n.svelte.ts';
import { ClustersStore } from './clusters.svelte.ts';
import { Confirmation } from './confirmation.svelte.ts';
import { ConnectionStore } from './connection.svelte.ts';
import { watchRestarts } from './connection-watch.ts';
import { MachineDialog } from './machine-dialog.svelte.ts';
import { MachinesStore } from './machines.svelte.ts';
import { ProgramsStore } from './programs.svelte.ts';
import { Router } from './router.svelte.ts';
import { RunDialog } from './run-dialog.svelte.ts';
import { RunsStore } from './runs.svelte.ts';
import { SettingsStore } from './settings.svelte.ts';
import { Toasts } from './toasts.svelte.ts';

/** All that the screens share. Created once by main.ts, handed out by `useApp`. */
export interface App {
  readonly core: Core;
  readonly shell: Shell;
  readonly i18n: I18n;
  readonly router: Router;
  readonly toasts: Toasts;
  readonly confirmation: Confirmation;
  readonly connection: ConnectionStore;
  readonly settings: SettingsStore;
  readonly programs: ProgramsStore;
  readonly machines: MachinesStore;
  readonly machineDialog: MachineDialog;
  readonly clusters: ClustersStore;
  readonly runs: RunsStore;
  readonly runDialog: RunDialog;
  /** Lets the user choose how a program is run: `openRunDialog({ program })`. */
  readonly openRunDialog: RunDialog['open'];
}

export function createApp({ core, shell, i18n }: Pick<App, 'core' | 'shell' | 'i18n'>): App {
  const runDialog = new RunDialog();
  const app: App = {
    core,
    shell,
    i18n,
    router: new Router(),
    toasts: new Toasts(),
    confirmation: new Confirmation(),
    connection: new ConnectionStore(core),
    settings: new SettingsStore(core, i18n),
    programs: new ProgramsStore(core),
    machines: new MachinesStore(core),
    machineDialog: new MachineDialog(),
    clusters: new ClustersStore(core),
    runs: new RunsStore(core),
    runDialog,
    openRunDialog: runDialog.open,
  };
  watchRestarts(core, ({ reason }) => {
    const ended = app.runs.active.length;
    const kept = ended > 0 ? i18n.text('connection.runsKept', { count: ended }) : i18n.text('connection.nothingLost');
    app.toasts.warn([i18n.text('connection.restarted'), i18n.message(reason), kept].filter(Boolean).join(' '));
  });
  // Events may have been missed before each connection, the first one included.
  core.onState((state) => {
    if (state.kind !== 'connected') return;
    void app.toasts.guard(() => app.settings.load());
    const { discovery, installs, lab } = app.machines;
    for (const remote of [app.programs, app.machines, discovery, installs, lab, app.clusters, app.runs]) void remote.load();
  });
  return app;
}
