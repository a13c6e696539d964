import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClusterDraft, ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import type * as StatusModule from '#proto/wire/status.ts';
import type * as ControlModule from '../../../../renderer/features/cluster/cluster-control.svelte.ts';
import type * as EditorModule from '../../../../renderer/features/cluster/cluster-editor.svelte.ts';
import { addTask, changeTask, renameJob } from '../../../../renderer/features/cluster/draft.ts';
import type * as FormModule from '../../../../renderer/features/cluster/form-text.svelte.ts';
import type * as LogsModule from '../../../../renderer/features/cluster/task-logs.svelte.ts';
import { importRuneModules } from '../../../support/rune-module.ts';

type Modules = typeof ControlModule & typeof EditorModule & typeof FormModule & typeof LogsModule & typeof StatusModule;

const folder = 'renderer/features/cluster';
const { ClusterControl, ClusterEditor, FormText, TaskLogs, cancelled, unavailable } = await importRuneModules<Modules>([
  ...['cluster-control', 'cluster-editor', 'form-text', 'task-logs'].map((name) => `${folder}/${name}.svelte.ts`),
  'proto/wire/status.ts',
]);

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

function task(job: string, index: number): TaskInfo {
  return {
    ...{ index, machine: 'here', engine: 'bundled', port: 0, virtualGpus: 0, name: `/job:${job}/replica:0/task:${index}` },
    ...{ state: 'stopped', reason: '', address: '', startedAt: 0, incarnation: '', memory: 0 },
    ...{ heartbeatAge: -1, stepsPerSecond: -1, restarts: 0 },
  };
}

const info = (...workers: TaskInfo[]): ClusterInfo => ({
  id: 'c',
  title: 'lab',
  state: 'stopped',
  jobs: [
    { name: 'ps', tasks: [task('ps', 0)] },
    { name: 'worker', tasks: workers },
  ],
});

function openEditor(save = vi.fn(async (_: ClusterDraft): Promise<ClusterInfo> => info())) {
  const editor = new ClusterEditor(info(task('worker', 0)), { save, machines: () => undefined });
  return { editor, save };
}

describe('the editor of a cluster', () => {
  it('saves after a pause in the edits, once', async () => {
    const { editor, save } = openEditor();
    editor.edit((draft) => addTask(draft, 1, 'here'));
    editor.edit((draft) => addTask(draft, 1, 'here'));
    await vi.advanceTimersByTimeAsync(200);
    expect([editor.isDirty, save.mock.calls.length]).toEqual([true, 0]);
    await vi.advanceTimersByTimeAsync(200);
    expect([editor.isDirty, save.mock.calls.length]).toEqual([false, 1]);
    expect(save).toHaveBeenCalledWith(expect.objectContaining({ id: 'c', title: 'lab' }));
  });

  it('keeps what is wrong to itself until it is mended', async () => {
    const { editor, save } = openEditor();
    editor.edit((draft) => renameJob(draft, 0, '7up'));
    await vi.advanceTimersByTimeAsync(1000);
    expect([save.mock.calls.length, editor.problems.map(({ kind }) => kind)]).toEqual([0, ['badJobName']]);
    editor.edit((draft) => renameJob(draft, 0, 'canshu'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(save.mock.calls.length).toBe(1);
  });

  it('shows why a save was refused, and stays dirty', async () => {
    const { editor } = openEditor(vi.fn(async () => Promise.reject(unavailable('disk full'))));
    editor.edit((draft) => addTask(draft, 1, 'here'));
    await vi.advanceTimersByTimeAsync(1000);
    expect([editor.saveError?.message, editor.isDirty]).toEqual(['disk full', true]);
  });

  it('saves nothing by itself while it is held, and gives up what was edited when it is told to', async () => {
    const { editor, save } = openEditor();
    editor.isHeld = true;
    editor.edit((draft) => addTask(draft, 1, 'here'));
    await vi.advanceTimersByTimeAsync(1000);
    await editor.save();
    expect([editor.isDirty, save.mock.calls.length]).toEqual([true, 0]);
    editor.discard();
    expect([editor.isDirty, editor.canUndo]).toEqual([false, true]);
    editor.undo();
    await editor.apply();
    expect([editor.isDirty, save.mock.calls.length]).toEqual([false, 1]);
  });

  it('counts the switch of restarts as a change', () => {
    const { editor } = openEditor();
    editor.edit((draft) => changeTask(draft, { job: 1, task: 0 }, { restart: true }));
    expect(editor.isDirty).toBe(true);
    editor.edit((draft) => changeTask(draft, { job: 1, task: 0 }, { restart: false }));
    expect(editor.isDirty).toBe(false);
  });

  it('follows what the core says of what nobody changed here', () => {
    const { editor } = openEditor();
    editor.follow(info(task('worker', 0), task('worker', 1)));
    expect([editor.draft.jobs[1]?.tasks.length, editor.isDirty]).toEqual([2, false]);
  });
});

describe('the control of a cluster', () => {
  function open({ agrees = true, fails = {} }: { agrees?: boolean; fails?: Record<string, Error> } = {}) {
    const asked: string[] = [];
    const calls: [string, unknown][] = [];
    const said: unknown[] = [];
    const call = async (name: string, argument: unknown) => {
      calls.push([name, argument]);
      if (fails[name]) throw fails[name];
      return info(task('worker', 0));
    };
    const { editor } = openEditor(vi.fn((draft: ClusterDraft) => call('clusters.save', draft)));
    const app = {
      core: { call },
      i18n: { text: (key: string, values?: object) => [key, ...Object.values(values ?? {})].join(' ') },
      confirmation: {
        ask: async ({ title }: { title: string }) => {
          asked.push(title);
          return agrees;
        },
      },
      toasts: {
        guard: (action: () => Promise<unknown>) => action().catch((error) => said.push(error)),
        say: (text: string) => said.push(text),
      },
      router: { go: () => undefined },
      clusters: { load: async () => undefined },
    };
    // As much of the app as the control uses.
    const control = new ClusterControl(app as unknown as ConstructorParameters<typeof ClusterControl>[0], editor);
    return { control, editor, asked, calls, said };
  }

  it('saves before it starts, and starts nothing else than what is shown', async () => {
    const { control, editor, calls } = open();
    editor.edit((draft) => addTask(draft, 1, 'here'));
    await control.start();
    expect(calls.map(([name]) => name)).toEqual(['clusters.save', 'clusters.start']);
    const refused = open({ fails: { 'clusters.save': unavailable('disk full') } });
    refused.editor.edit((draft) => addTask(draft, 1, 'here'));
    await refused.control.start();
    expect([refused.calls.map(([name]) => name), refused.control.startError?.message]).toEqual([['clusters.save'], 'disk full']);
  });

  it('shows why a start failed, but not that it was cancelled', async () => {
    const failed = open({ fails: { 'clusters.start': unavailable('no port') } });
    await failed.control.start();
    expect(failed.control.startError?.message).toBe('no port');
    const given = open({ fails: { 'clusters.start': cancelled('by the user') } });
    await given.control.start();
    expect(given.control.startError).toBeUndefined();
  });

  it('asks once before a change of what runs costs something, and does nothing without a yes', async () => {
    for (const agrees of [true, false]) {
      const { control, editor, asked, calls } = open({ agrees });
      editor.isHeld = true;
      editor.edit((draft) => addTask(draft, 1, 'here'));
      expect(await control.applyChanges()).toBe(agrees);
      expect([asked, calls.map(([name]) => name), editor.isDirty]).toEqual([
        ['cluster.applyTitle 2'],
        agrees ? ['clusters.save'] : [],
        !agrees,
      ]);
    }
  });

  it('does not ask where nothing is lost', async () => {
    const { control, editor, asked, calls } = open();
    editor.isHeld = true;
    editor.edit((draft) => ({ ...draft, title: 'other' }));
    expect(await control.applyChanges()).toBe(true);
    expect([asked, calls.length]).toEqual([[], 1]);
  });

  it('stays in the changes when they are refused', async () => {
    const { control, editor } = open({ fails: { 'clusters.save': unavailable('port in use') } });
    editor.isHeld = true;
    editor.edit((draft) => addTask(draft, 1, 'here'));
    expect([await control.applyChanges(), control.startError?.message]).toEqual([false, 'port in use']);
  });

  it('switches the restarts of one task, and nothing else of what is being edited', async () => {
    const { control, editor, calls } = open();
    editor.isHeld = true;
    editor.edit((draft) => addTask(draft, 1, 'here'));
    await control.switchRestart(info(task('worker', 0)), task('worker', 0), true);
    const [, draft] = calls[0] ?? [];
    expect(draft).toMatchObject({ id: 'c', jobs: [{ tasks: [{ index: 0 }] }, { tasks: [{ index: 0, restart: true }] }] });
  });

  it.each(['restartAfterAsking', 'killAfterAsking'] as const)('%s asks first', async (act) => {
    const { control, asked, calls } = open({ agrees: false });
    await control[act](task('worker', 0));
    expect([asked.length, calls]).toEqual([1, []]);
  });

  it('reports a stop', async () => {
    const { control } = open();
    await control.stop();
    expect([control.stopped?.stopped.length, control.busy]).toEqual([2, false]);
  });
});

describe('the text of a cluster', () => {
  const jobs = [{ name: 'ps', tasks: [] }];

  it('is read when the typing pauses, and only the last answer counts', async () => {
    const answers: ((value: { jobs: typeof jobs }) => void)[] = [];
    const form = new FormText(() => new Promise((resolve) => answers.push(resolve)));
    form.change('a');
    await vi.advanceTimersByTimeAsync(400);
    form.change('ab');
    await vi.advanceTimersByTimeAsync(400);
    answers[0]?.({ jobs: [] });
    await vi.advanceTimersByTimeAsync(0);
    expect([form.text, form.jobs, answers.length]).toEqual(['ab', undefined, 2]);
    answers[1]?.({ jobs });
    await vi.advanceTimersByTimeAsync(0);
    expect(form.jobs).toEqual(jobs);
  });

  it('keeps its error while it is mended, and forgets all when it is discarded', async () => {
    const form = new FormText((text) => (text === 'good' ? Promise.resolve({ jobs }) : Promise.reject(unavailable('line 1'))));
    form.change('bad');
    await vi.advanceTimersByTimeAsync(400);
    expect([form.error?.message, form.jobs]).toEqual(['line 1', undefined]);
    form.change('good');
    await vi.advanceTimersByTimeAsync(400);
    expect([form.error, form.jobs]).toEqual([undefined, jobs]);
    form.discard();
    expect([form.text, form.jobs]).toEqual([undefined, undefined]);
  });
});

describe('the log of a task', () => {
  const line = (number: number) => ({ number, time: 0, source: 't', kind: 'task', text: `line ${number}` }) as const;

  it('is looked for again and again, and begins anew with another process of the agent', async () => {
    let said = [line(0), line(1)];
    const logs = new TaskLogs(async (from) => ({ lines: said.filter(({ number }) => number >= from), total: said.length }));
    const stop = logs.follow();
    await vi.advanceTimersByTimeAsync(10);
    expect(logs.lines.map(({ text }) => text)).toEqual(['line 0', 'line 1']);
    said = [...said, line(2)];
    await vi.advanceTimersByTimeAsync(600);
    expect(logs.lines).toHaveLength(3);
    said = [line(0)];
    await vi.advanceTimersByTimeAsync(1200);
    expect(logs.lines).toEqual([line(0)]);
    stop();
    said = [line(0), line(1)];
    await vi.advanceTimersByTimeAsync(2000);
    expect(logs.lines).toHaveLength(1);
  });

  it('says why it cannot be read, and goes on', async () => {
    let fails = true;
    const logs = new TaskLogs(() => (fails ? Promise.reject(unavailable('agent lost')) : Promise.resolve({ lines: [line(0)], total: 1 })));
    const stop = logs.follow();
    await vi.advanceTimersByTimeAsync(10);
    expect(logs.error?.message).toBe('agent lost');
    fails = false;
    await vi.advanceTimersByTimeAsync(600);
    expect([logs.error, logs.lines.length]).toEqual([undefined, 1]);
    stop();
  });
});
