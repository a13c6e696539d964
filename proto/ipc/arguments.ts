import { LONGEST_OPENING_S } from '../wire/opening.ts';
import { invalidArgument } from '../wire/status.ts';
import type {
  Appearance,
  CallName,
  Calls,
  ClusterDraft,
  ExportFormat,
  GraphQuery,
  JobDraft,
  Pins,
  PortRange,
  RunPlan,
  SeriesQuery,
  Settings,
  SshLogin,
  SshTarget,
  TaskDraft,
  TaskPorts,
} from './contract.ts';
import { bytes, flag, integer, list, nothing, number, object, oneOf, record, type Shape, text } from './shape.ts';

/** Lower ones are the system's. */
const MIN_OWN_PORT = 1024;
const MAX_PORT = 65_535;
/** With fewer, thinning would lose extremes. */
const MIN_POINTS = 8;
const MAX_POINTS = 200_000;
const MAX_TASKS = 1000;
const MAX_TITLE = 200;

/** Becomes part of a path: no separators, no dots in front. */
const id = text({ max: 100, pattern: /^[A-Za-z0-9][\w.-]*$/ });
const title = text({ max: MAX_TITLE });
const language: Shape<Settings['language']> = oneOf('system', 'en', 'zh-CN');
const theme: Shape<Settings['theme']> = oneOf('system', 'light', 'dark');
const ownPort = integer(MIN_OWN_PORT, MAX_PORT);
const portRange = object<PortRange>({ from: ownPort, to: ownPort });
/** Settings that were kept before there was this one say nothing of it. */
const ports: Shape<TaskPorts> = (value, where) => {
  if (value === 'any' || value === undefined) return 'any';
  const range = portRange(value, where);
  if (range.from <= range.to) return range;
  throw invalidArgument(`${where} must begin with its lower port: from ${range.from} to ${range.to} there is none`);
};

export const settingsShape = object<Settings>({ language, theme, ports });

const taskDraft = object<TaskDraft>(
  {
    index: integer(0, MAX_TASKS * 1000),
    machine: text({ max: 255 }),
    engine: oneOf('bundled', 'tensorflow'),
    port: integer(0, MAX_PORT),
    virtualGpus: integer(0, 64),
  },
  { restart: flag },
);

export const jobDraftShape = object<JobDraft>({
  name: text({ max: 100, pattern: /^[A-Za-z][A-Za-z0-9_]*$/ }),
  tasks: list(taskDraft, { max: MAX_TASKS }),
});

const cluster = object<{ cluster: string }>({ cluster: id });
const run = object<{ run: string }>({ run: id });
const secret = text({ max: 1000 });
const taskName = text({ max: 200 });

const format: Shape<ExportFormat> = oneOf('bundle', 'series.csv', 'series.json', 'trace.json', 'trace.pb', 'nodes.csv', 'tensorboard');

const program = object<{ program: string }>({ program: text() });
const source = text({ max: 2 ** 20 });
export const pinsShape: Shape<Pins> = record(text({ max: 200 }));

const machine = { machine: text({ max: 255 }) };
const sshTargets = list(object<SshTarget>({ host: text({ max: 255 }), port: integer(1, MAX_PORT) }), { max: MAX_TASKS });
const sshLogin = object<SshLogin>({ user: text({ max: 255 }), password: secret, keyFile: text({ max: 4096 }), passphrase: secret });

const install = object<Calls['machines.install']['argument']>({ targets: sshTargets, login: sshLogin }, { component: text({ max: 4096 }) });
const uninstall = object<Calls['machines.uninstall']['argument']>({ targets: sshTargets, login: sshLogin });

const graphOf: Shape<GraphQuery['of']> = (value, where) =>
  typeof value === 'object' && value !== null && 'run' in value ? run(value, where) : program(value, where);
const graphQuery = { of: graphOf };
const client = { client: text() };

const names = list(text(), { max: 10_000 });
const milliseconds = integer(0, 3_600_000);
const steps = integer(0, Number.MAX_SAFE_INTEGER);
const feeds = record(text({ max: 10_000_000 }));
export const planShape = object<RunPlan>(
  {},
  { interval: milliseconds, watch: names, traceEvery: steps, initialize: names, feeds, fetches: names, targets: names, steps },
);

/** What a window may send with each call. */
export const argumentShapes: { readonly [N in CallName]: Shape<Calls[N]['argument']> } = {
  'app.info': nothing,
  'settings.get': nothing,
  'settings.set': object<Partial<Settings>>({}, { language, theme, ports }),
  'settings.setByHost': object<Partial<Appearance>>({}, { language, theme }),
  'machines.list': nothing,
  'machines.discovery': nothing,
  'machines.lookAgain': nothing,
  'machines.add': object<Calls['machines.add']['argument']>({ address: text({ max: 300 }) }),
  'machines.probe': nothing,
  'machines.cancelProbe': nothing,
  'machines.pair': object<Calls['machines.pair']['argument']>({ ...machine, pin: text({ max: 40 }) }),
  'machines.remove': object<Calls['machines.remove']['argument']>(machine),
  'machines.diagnose': object<Calls['machines.diagnose']['argument']>({ target: text({ max: 300 }) }),
  'machines.known': nothing,
  'machines.lab': nothing,
  'machines.invite': nothing,
  'machines.endInvitation': nothing,
  'machines.joinLab': object<Calls['machines.joinLab']['argument']>({ address: text({ max: 300 }), pin: text({ max: 40 }) }),
  'machines.install': install,
  'machines.uninstall': uninstall,
  'machines.answerHostKeys': object<Calls['machines.answerHostKeys']['argument']>({ hosts: sshTargets, accept: flag }),
  'machines.cancelInstall': object<Calls['machines.cancelInstall']['argument']>({ targets: sshTargets }),
  'machines.installs': nothing,
  'programs.list': nothing,
  'programs.read': program,
  'programs.create': object<Calls['programs.create']['argument']>({ kind: oneOf('code', 'graph', 'graph-def'), title }, { from: text() }),
  'programs.import': object<Calls['programs.import']['argument']>({ name: text({ max: 255 }), content: bytes }),
  'programs.write': object<Calls['programs.write']['argument']>({ program: text(), source }),
  'programs.rename': object<Calls['programs.rename']['argument']>({ program: text(), title }),
  'programs.trust': program,
  'programs.delete': program,
  'programs.check': object<Calls['programs.check']['argument']>({ program: text(), source }),
  'programs.complete': object<Calls['programs.complete']['argument']>({ program: text(), source, offset: integer(0, 2 ** 20) }),
  'programs.pins': program,
  'programs.setPins': object<Calls['programs.setPins']['argument']>({ program: text(), pins: pinsShape }),
  'graphs.view': object<GraphQuery>(graphQuery, client),
  'graphs.node': object<Calls['graphs.node']['argument']>({ ...graphQuery, node: text() }, client),
  'graphs.place': object<Calls['graphs.place']['argument']>(graphQuery, { ...client, cluster: id }),
  'graphs.export': object<Calls['graphs.export']['argument']>({ ...graphQuery, format: oneOf('pb', 'pbtxt') }, client),
  'clusters.list': nothing,
  'clusters.save': object<ClusterDraft>({ title, jobs: list(jobDraftShape, { max: MAX_TASKS }) }, { id }),
  'clusters.move': object<Calls['clusters.move']['argument']>({ cluster: id, task: taskName, ...machine }),
  'clusters.remove': cluster,
  'clusters.start': cluster,
  'clusters.stop': cluster,
  'clusters.restartTask': object<Calls['clusters.restartTask']['argument']>({ cluster: id, task: taskName }),
  'clusters.disturbTask': object<Calls['clusters.disturbTask']['argument']>({
    cluster: id,
    task: taskName,
    how: oneOf('kill', 'pause', 'resume'),
  }),
  'clusters.logs': object<Calls['clusters.logs']['argument']>({
    cluster: id,
    task: taskName,
    from: integer(0, Number.MAX_SAFE_INTEGER),
  }),
  'clusters.devices': cluster,
  'clusters.clearVariables': cluster,
  'clusters.setGateway': object<Calls['clusters.setGateway']['argument']>({ cluster: id, open: flag }),
  'clusters.open': object<Calls['clusters.open']['argument']>({
    cluster: id,
    network: text({ max: 100 }),
    seconds: integer(1, LONGEST_OPENING_S),
  }),
  'clusters.close': cluster,
  'clusters.export': cluster,
  'clusters.parse': object<{ text: string }>({ text: text({ max: 1_000_000 }) }),
  'runs.start': object<Calls['runs.start']['argument']>({ program: text() }, { cluster: id, title, plan: planShape }),
  'runs.pause': run,
  'runs.resume': run,
  'runs.step': run,
  'runs.traceNext': run,
  'runs.reinitialize': run,
  'runs.stop': run,
  'runs.list': nothing,
  'runs.get': run,
  'runs.series': object<SeriesQuery>({
    run: id,
    series: list(object<SeriesQuery['series'][number]>({ client: text(), name: text() })),
    fromStep: number,
    toStep: number,
    points: integer(MIN_POINTS, MAX_POINTS),
  }),
  'runs.logs': object<Calls['runs.logs']['argument']>({ run: id, from: integer(0, Number.MAX_SAFE_INTEGER) }),
  'runs.traces': run,
  'runs.trace': object<Calls['runs.trace']['argument']>({ run: id, trace: id }),
  'runs.rename': object<Calls['runs.rename']['argument']>({ run: id, title, note: text({ max: 100_000 }) }),
  'runs.delete': run,
  'runs.export': object<Calls['runs.export']['argument']>({ run: id, format }, { trace: id }),
  'runs.import': object<Calls['runs.import']['argument']>({ name: text({ max: 255 }), content: bytes }),
};
