import type { RunLibrary } from '../../runs/run-library.ts';
import type { AreaHandlers } from '../handler.ts';
import type { RunControl } from '../run-control.ts';

export function runHandlers(runs: RunLibrary, control: RunControl): AreaHandlers<'runs'> {
  return {
    'runs.start': (request) => control.start(request),
    'runs.pause': ({ run }) => control.pause(run),
    'runs.resume': ({ run }) => control.resume(run),
    'runs.step': ({ run }) => control.step(run),
    'runs.traceNext': ({ run }) => {
      control.traceNext(run);
      return null;
    },
    'runs.reinitialize': async ({ run }) => {
      await control.reinitialize(run);
      return null;
    },
    'runs.stop': ({ run }) => control.stop(run),
    'runs.list': () => runs.list(),
    'runs.get': ({ run }) => runs.get(run),
    'runs.series': async ({ run, ...query }) => (await runs.data(run)).series.query(query),
    'runs.logs': async ({ run, from }) => (await runs.data(run)).log.page(from),
    'runs.traces': ({ run }) => runs.traces(run),
    'runs.trace': ({ run, trace }) => runs.trace(run, trace),
    'runs.rename': ({ run, ...names }) => runs.rename(run, names),
    'runs.delete': async ({ run }) => {
      await runs.delete(run);
      return null;
    },
    'runs.export': (request) => runs.export(request),
    'runs.import': ({ name, content }) => runs.import(name, content),
  };
}
