import type { RunCommand } from '#proto/ipc/bridge.ts';
import type { RunInfo } from '#proto/ipc/contract.ts';
import type { App } from '../stores/app.ts';
import { canPause, canStep, canTrace, isActive, pauseOrResume } from '../stores/run-state.ts';

/** The run that is shown, when it goes on; else the newest that does. */
export function currentRun({ router, runs }: App): RunInfo | undefined {
  const [screen, id] = router.parts;
  const shown = screen === 'runs' && id !== undefined ? runs.find(id) : undefined;
  return shown && isActive(shown) ? shown : runs.active[0];
}

interface Action {
  isPossible(run: RunInfo): boolean;
  run(app: App, run: RunInfo): Promise<void>;
}

const actions: Readonly<Record<Exclude<RunCommand, 'newRun'>, Action>> = {
  pauseOrResumeRun: { isPossible: canPause, run: ({ runs }, run) => pauseOrResume(runs, run) },
  stepRun: { isPossible: canStep, run: ({ runs }, { id }) => runs.step(id) },
  traceNextStep: { isPossible: canTrace, run: ({ runs }, { id }) => runs.traceNext(id) },
  stopRun: { isPossible: isActive, run: ({ runs }, { id }) => runs.stop(id) },
};

/** The commands that do something to this run now. */
export function possibleCommands(run: RunInfo): readonly (keyof typeof actions)[] {
  return (['pauseOrResumeRun', 'stepRun', 'traceNextStep', 'stopRun'] as const).filter((command) => actions[command].isPossible(run));
}

export async function commandRun(app: App, command: keyof typeof actions, run: RunInfo): Promise<void> {
  await app.toasts.guard(() => actions[command].run(app, run));
}

/** What a choice in the native menu does; it says so when there is nothing to do it to. */
export async function runMenuCommand(app: App, command: RunCommand): Promise<void> {
  if (command === 'newRun') return app.openRunDialog();
  const run = currentRun(app);
  if (!run) app.toasts.warn(app.i18n.text('run.noneGoesOn'));
  else if (!actions[command].isPossible(run)) app.toasts.warn(app.i18n.text(command === 'stepRun' ? 'run.pauseFirst' : 'run.notNow'));
  else await commandRun(app, command, run);
}

export function isRunCommand(command: string): command is RunCommand {
  return command === 'newRun' || Object.hasOwn(actions, command);
}
