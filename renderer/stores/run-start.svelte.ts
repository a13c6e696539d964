import type { GraphView, ProgramInfo, RunInfo } from '#proto/ipc/contract.ts';
import { mayRun } from './actions.ts';
import type { App } from './app.ts';
import { Remote } from './remote.svelte.ts';
import { misfitOf } from './run-clusters.ts';
import { emptyForm, isRunForm, type RunForm, requestOf } from './run-form.ts';
import { graphChoices, initializersOf } from './run-graph.ts';
import { createMemory } from './run-memory.ts';

const REMEMBERED = 60;

/** How each program was run the last time, in this window. */
const choices = () => createMemory<RunForm>({ storage: localStorage, key: 'lanflow.runChoices', most: REMEMBERED, isValid: isRunForm });

/** A cluster that is not there any more, or does not fit now, is not chosen again. */
export function lastForm({ clusters }: App, program: ProgramInfo): RunForm {
  const last = choices().get(program.name) ?? emptyForm;
  const cluster = (clusters.value ?? []).find(({ id }) => id === last.cluster);
  return cluster && !misfitOf(program, cluster) ? last : { ...last, cluster: '' };
}

/** Starts a run with these choices, and shows it. False: the user does not let the program run. */
export async function startRun(app: App, program: ProgramInfo, form: RunForm): Promise<boolean> {
  if (!(await mayRun(app, program.name))) return false;
  choices().set(program.name, form);
  const run = await app.runs.start(requestOf(program, form));
  app.router.go('runs', run.id);
  return true;
}

/** Starts a run of the same program with the same choices as the last time. */
export async function runAgain(app: App, { program: name }: Pick<RunInfo, 'program'>): Promise<void> {
  const program = app.programs.value?.find((each) => each.name === name);
  if (program) await startRun(app, program, lastForm(app, program));
  else app.router.go('runs', (await app.runs.start({ program: name })).id);
}

/** The graph that a program's first client builds, with what of it can be chosen. */
export class ProgramGraph extends Remote<GraphView> {
  readonly choices = $derived(this.value && graphChoices(this.value));
  readonly initializers = $derived(this.value && initializersOf(this.value));

  constructor({ core }: Pick<App, 'core'>, program: string) {
    super(() => core.call('graphs.view', { of: { program } }));
  }
}
