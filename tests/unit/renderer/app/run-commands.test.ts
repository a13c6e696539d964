import { expect, it } from 'vitest';
import type { RunInfo } from '#proto/ipc/contract.ts';
import { currentRun, possibleCommands, runMenuCommand } from '../../../../renderer/app/run-commands.ts';
import type { App } from '../../../../renderer/stores/app.ts';

const run = (id: string, state: RunInfo['state']) => ({ id, state }) as RunInfo;

/** What the commands use of the app; `done` hears what they do. */
function fakeApp(runs: readonly RunInfo[], parts: readonly string[] = []) {
  const done: string[] = [];
  const does = (name: string) => async (id: string) => void done.push(`${name} ${id}`);
  const app = {
    router: { parts },
    runs: {
      find: (id: string) => runs.find((each) => each.id === id),
      active: runs.filter(({ state }) => state !== 'finished'),
      ...{ pause: does('pause'), resume: does('resume'), step: does('step'), traceNext: does('trace'), stop: does('stop') },
    },
    toasts: { warn: (text: string) => void done.push(text), guard: (action: () => Promise<void>) => action() },
    i18n: { text: (key: string) => key },
    openRunDialog: () => void done.push('dialog'),
  };
  // The commands use no more of it.
  return { app: app as unknown as App, done };
}

it('means the run that is shown, as long as it goes on, else the newest that does', () => {
  const runs = [run('new', 'running'), run('shown', 'paused'), run('over', 'finished')];
  expect(currentRun(fakeApp(runs, ['runs', 'shown']).app)?.id).toBe('shown');
  expect(currentRun(fakeApp(runs, ['runs', 'over']).app)?.id).toBe('new');
  expect(currentRun(fakeApp(runs, ['home']).app)?.id).toBe('new');
  expect(currentRun(fakeApp([run('over', 'finished')]).app)).toBeUndefined();
});

it('offers what can be done now', () => {
  expect(possibleCommands(run('a', 'running'))).toEqual(['pauseOrResumeRun', 'traceNextStep', 'stopRun']);
  expect(possibleCommands(run('a', 'paused'))).toEqual(['pauseOrResumeRun', 'stepRun', 'traceNextStep', 'stopRun']);
  expect(possibleCommands(run('a', 'starting'))).toEqual(['stopRun']);
});

it('does what the native menu says, or says why it cannot', async () => {
  const paused = fakeApp([run('a', 'paused')]);
  for (const command of ['newRun', 'pauseOrResumeRun', 'stepRun', 'traceNextStep', 'stopRun'] as const)
    await runMenuCommand(paused.app, command);
  expect(paused.done).toEqual(['dialog', 'resume a', 'step a', 'trace a', 'stop a']);
  const running = fakeApp([run('a', 'running')]);
  await runMenuCommand(running.app, 'pauseOrResumeRun');
  await runMenuCommand(running.app, 'stepRun');
  expect(running.done).toEqual(['pause a', 'run.pauseFirst']);
  const idle = fakeApp([]);
  await runMenuCommand(idle.app, 'stopRun');
  expect(idle.done).toEqual(['run.noneGoesOn']);
});
