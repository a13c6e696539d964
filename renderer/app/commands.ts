import type { RunInfo } from '#proto/ipc/contract.ts';
import type { IconName } from '../components/icons.ts';
import { chooseBundle, DEMO, runProgram } from '../stores/actions.ts';
import type { App } from '../stores/app.ts';
import { programTitle, runTitle } from '../stores/lessons.ts';
import { commandRun, currentRun, possibleCommands } from './run-commands.ts';
import { screens } from './screens.ts';

/** Something that can be done from anywhere. */
export interface Command {
  readonly id: string;
  readonly icon: IconName;
  readonly title: string;
  /** Other words by which people look for it. */
  readonly also?: string;
  /** What it belongs to, shown beside it. */
  readonly group: string;
  run(): unknown;
}

/** All that can be done now, most wanted first. */
export function listCommands(app: App): readonly Command[] {
  return [
    ...runningCommands(app),
    ...screenCommands(app),
    ...programCommands(app),
    ...graphCommands(app),
    ...runCommands(app),
    ...settingCommands(app),
  ];
}

function runningCommands(app: App): readonly Command[] {
  const { text } = app.i18n;
  const demo: Command = { id: 'demo', icon: 'play', title: text('home.demo'), group: '', run: () => runProgram(app, DEMO) };
  const current = currentRun(app);
  const others = app.runs.active.filter(({ id }) => id !== current?.id);
  return [
    ...(current ? possibleCommands(current).map((command) => runCommand(app, command, current)) : []),
    ...others.map((run) => runCommand(app, 'stopRun', run)),
    demo,
    { id: 'newRun', icon: 'play', title: `${text('run.new')}…`, group: text('nav.runs'), run: () => app.openRunDialog() },
    { id: 'import', icon: 'import', title: text('runs.import'), group: text('nav.runs'), run: () => chooseBundle(app) },
  ];
}

function runCommand(app: App, command: ReturnType<typeof possibleCommands>[number], run: RunInfo): Command {
  const { text } = app.i18n;
  const [icon, verb] = {
    pauseOrResumeRun: run.state === 'paused' ? (['play', 'run.resume'] as const) : (['pause', 'run.pause'] as const),
    stepRun: ['right', 'run.step'] as const,
    traceNextStep: ['traces', 'run.traceNext'] as const,
    stopRun: ['stop', 'run.stop'] as const,
  }[command];
  const title = `${text(verb)}: ${runTitle(app.i18n, run)}`;
  return { id: `${command}/${run.id}`, icon, title, group: text('nav.runs'), run: () => commandRun(app, command, run) };
}

function screenCommands({ i18n: { text }, router }: App): readonly Command[] {
  const inNavigation = screens.filter(({ within }) => within === undefined);
  return inNavigation.map(({ id, icon }) => ({
    id,
    icon,
    title: text(`nav.${id}`),
    group: text('palette.screen'),
    run: () => router.go(id),
  }));
}

function programCommands(app: App): readonly Command[] {
  const { text } = app.i18n;
  return (app.programs.value ?? []).map((program) => ({
    id: `program/${program.name}`,
    icon: 'programs',
    title: programTitle(app.i18n, program.name, program.title),
    also: program.name,
    group: text('nav.programs'),
    run: () => app.router.go('programs', program.name),
  }));
}

function graphCommands(app: App): readonly Command[] {
  const { text } = app.i18n;
  return (app.programs.value ?? []).map((program) => ({
    id: `graph/${program.name}`,
    icon: 'programs',
    title: text('graph.openCommand', { title: programTitle(app.i18n, program.name, program.title) }),
    also: program.name,
    group: text('nav.programs'),
    run: () => app.router.go('graph', program.name),
  }));
}

function runCommands({ i18n, router, runs }: App): readonly Command[] {
  return (runs.value ?? []).map((run) => ({
    id: `run/${run.id}`,
    icon: 'runs',
    title: `${runTitle(i18n, run)} · ${i18n.when(run.startedAt)}`,
    group: i18n.text('nav.runs'),
    run: () => router.go('runs', run.id),
  }));
}

function settingCommands({ i18n: { text }, settings, toasts }: App): readonly Command[] {
  const themes = (['light', 'dark', 'system'] as const).map((theme) => ({ change: { theme }, title: text(`settings.theme.${theme}`) }));
  const languages = (['en', 'zh-CN', 'system'] as const).map((language) => ({
    change: { language },
    title: text(`settings.language.${language}`),
  }));
  return [...themes, ...languages].map(({ change, title }) => ({
    id: JSON.stringify(change),
    icon: 'settings',
    title: `${text('theme' in change ? 'settings.theme' : 'settings.language')}: ${title}`,
    group: text('nav.settings'),
    run: () => toasts.guard(() => settings.change(change)),
  }));
}
