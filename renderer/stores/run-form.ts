import type { ProgramInfo, RunPlan, RunRequest } from '#proto/ipc/contract.ts';
import type { GraphChoices } from './run-graph.ts';

/** What the user has chosen for a run of a program, as the dialog shows it. */
export interface RunForm {
  /** Empty: the cluster that the program wants is formed for the run. */
  readonly cluster: string;
  /** Milliseconds; undefined: the program's own pace. */
  readonly interval: number | undefined;
  /** Names of variables, other tensors, or single elements as `w[3]`. */
  readonly watch: readonly string[];
  /** 0: none. */
  readonly traceEvery: number;
  readonly initialize: readonly string[];
  readonly feeds: Readonly<Record<string, string>>;
  readonly fetches: readonly string[];
  readonly targets: readonly string[];
  /** 0: until it is stopped. */
  readonly steps: number;
}

export const emptyForm: RunForm = {
  cluster: '',
  interval: undefined,
  watch: [],
  traceEvery: 0,
  initialize: [],
  feeds: {},
  fetches: [],
  targets: [],
  steps: 0,
};

/** A graph has no step of its own: feeds, fetches and targets say what one is. */
export function hasGraphSteps({ kind }: Pick<ProgramInfo, 'kind'>): boolean {
  return kind === 'graph' || kind === 'graph-def';
}

/** What is asked of the core: only what differs from what the program does by itself. */
export function requestOf(program: Pick<ProgramInfo, 'name' | 'kind'>, form: RunForm): RunRequest {
  const plan: RunPlan = {
    ...(form.interval !== undefined && { interval: form.interval }),
    ...(form.watch.length > 0 && { watch: form.watch }),
    ...(form.traceEvery > 0 && { traceEvery: form.traceEvery }),
    ...(hasGraphSteps(program) && graphPlan(form)),
  };
  return {
    program: program.name,
    ...(form.cluster !== '' && { cluster: form.cluster }),
    ...(Object.keys(plan).length > 0 && { plan }),
  };
}

function graphPlan({ initialize, feeds, fetches, targets, steps }: RunForm): RunPlan {
  return {
    steps,
    ...(initialize.length > 0 && { initialize }),
    ...(Object.keys(feeds).length > 0 && { feeds }),
    ...(fetches.length > 0 && { fetches }),
    ...(targets.length > 0 && { targets }),
  };
}

/** The form with what the graph itself asks for, as long as the user has said nothing of its steps. */
export function proposeSteps(
  form: RunForm,
  { placeholders }: Pick<GraphChoices, 'placeholders'>,
  initializers: readonly string[],
): RunForm {
  const { initialize, fetches, targets, feeds } = form;
  if ([initialize, fetches, targets, Object.keys(feeds)].some(({ length }) => length > 0)) return form;
  const wanted = placeholders.filter(({ op }) => op !== 'PlaceholderWithDefault').map(({ tensor }) => [tensor, '']);
  return { ...form, initialize: initializers, feeds: Object.fromEntries(wanted) };
}

/** Was this stored by `JSON.stringify` of a form? (An absent interval is not stored.) */
export function isRunForm(value: unknown): value is RunForm {
  if (typeof value !== 'object' || value === null) return false;
  const form = value as Partial<Record<keyof RunForm, unknown>>;
  const isCount = (count: unknown) => Number.isSafeInteger(count) && Number(count) >= 0;
  const areTexts = (list: unknown) => Array.isArray(list) && list.every((each) => typeof each === 'string');
  return (
    typeof form.cluster === 'string' &&
    (form.interval === undefined || isCount(form.interval)) &&
    isCount(form.traceEvery) &&
    isCount(form.steps) &&
    [form.watch, form.initialize, form.fetches, form.targets].every(areTexts) &&
    typeof form.feeds === 'object' &&
    form.feeds !== null &&
    areTexts(Object.values(form.feeds))
  );
}
