import { describe, expect, it } from 'vitest';
import { addTask, changeTask, type Draft, removeTask, renameJob } from '../../../../renderer/features/cluster/draft.ts';
import { fromPreset, presets } from '../../../../renderer/features/cluster/presets.ts';
import { costOf } from '../../../../renderer/features/cluster/running-change.ts';

const [preset] = presets;
if (!preset) throw new Error('there are presets');
const draft = fromPreset(preset, ['here']);
const all = ['/job:ps/task:0', '/job:worker/task:0', '/job:worker/task:1'];
const worker0 = { job: 1, task: 0 };

describe('a change of a running cluster', () => {
  it.each<[string, Draft, readonly string[], readonly string[]]>([
    ['nothing', draft, [], []],
    ['the title', { ...draft, title: 'other' }, [], []],
    ['the switch of restarts', changeTask(draft, worker0, { restart: true }), [], []],
    ['cards of one task', changeTask(draft, worker0, { virtualGpus: 2 }), ['/job:worker/task:0'], []],
    ['the engine of one task', changeTask(draft, worker0, { engine: 'tensorflow' }), ['/job:worker/task:0'], []],
    ['a port', changeTask(draft, worker0, { port: 2222 }), all, []],
    ['a machine', changeTask(draft, worker0, { machine: 'lab' }), all, []],
    ['a task more', addTask(draft, 1, 'here'), all, []],
    ['a task less', removeTask(draft, { job: 1, task: 1 }), all.slice(0, 2), ['/job:worker/task:1']],
    ['the name of a job', renameJob(draft, 0, 'canshu'), all.slice(1), ['/job:ps/task:0']],
  ])('of %s starts anew what must be', (_, after, restarted, removed) => {
    expect(costOf(draft, after)).toEqual({ restarted, removed });
  });
});
