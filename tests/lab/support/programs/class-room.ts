/**
 * An app that takes a room of machines into its lab, forms a cluster of them all, and trains on some. Arguments: its core, the number of
 * machines, and of those to train on; a cluster has one task on each of its machines. The PINs come as lines `NAME PIN` on standard input once it has found all machines. Prints a line of
 * JSON for each part: how long it took, in seconds.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownDataFolder } from '../../../../main/store/data-folder.ts';
import type { MachineInfo } from '../../../../proto/ipc/contract.ts';
import { CoreClient } from '../../../integration/core/core-client.ts';

const [program, count, trainedCount] = process.argv.slice(2);
const wanted = Number(count);
const core = new CoreClient(ownDataFolder(), program);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function part<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  console.log(JSON.stringify({ part: name, seconds: (performance.now() - began) / 1000 }));
  return result;
}

async function others(state: MachineInfo['state']): Promise<readonly MachineInfo[]> {
  const found = (await core.call('machines.list', null)).filter((each) => !each.isThis && each.state === state);
  return found.length === wanted ? found : sleep(100).then(() => others(state));
}

/** One after the other, as a person does. */
async function typePins(machines: ReadonlyMap<string, string>): Promise<void> {
  for (let typed = 0; typed < wanted; typed++) {
    const { value = '' } = await lines.next();
    const [, name = '', pin = ''] = /^(\S+) (.*)$/.exec(value) ?? [];
    await core.call('machines.pair', { machine: machines.get(name) ?? name, pin });
  }
}

/** Resolves when the run is over, however it ended. */
async function isOver(run: string): Promise<void> {
  while (['starting', 'running'].includes((await core.call('runs.get', { run })).state)) await sleep(100);
}

const found = new Map((await part('found', () => others('unpaired'))).map(({ name, id }) => [name, id]));
await part('paired', () => typePins(found));
const room = await part('online', () => others('online'));

/** Of the first machines: a ps, and workers. Resolves to its id. */
async function save(title: string, size: number): Promise<string> {
  const [first, ...rest] = room
    .slice(0, size)
    .map(({ id }, index) => ({ index, machine: id, engine: 'bundled', port: 0, virtualGpus: 0 }) as const);
  if (!first) throw new Error('The room has machines');
  const workers = rest.map((task, index) => ({ ...task, index }));
  const jobs = [
    { name: 'ps', tasks: [first] },
    { name: 'worker', tasks: workers },
  ];
  return (await core.call('clusters.save', { title, jobs })).id;
}

/** While all tasks work, agents may have had no turn for seconds: what cannot be reached cannot be stopped. */
async function stop(name: string, cluster: string): Promise<void> {
  await others('online');
  await part(name, () => core.call('clusters.stop', { cluster }));
}

const all = await save('All', wanted);
await part('all started', () => core.call('clusters.start', { cluster: all }));
const devices = await part('devices of all', () => core.call('clusters.devices', { cluster: all }));
await stop('all stopped', all);
const some = await save('Some', Number(trainedCount));
await part('some started', () => core.call('clusters.start', { cluster: some }));
const { id: run } = await core.call('runs.start', { program: 'ps-workers', cluster: some });
await part('demo on some', () => isOver(run));
const { state, problems, status } = await core.call('runs.get', { run });
await stop('some stopped', some);
const tasks = (await core.call('clusters.list', null)).flatMap((each) => each.jobs.flatMap((job) => job.tasks));
const left = tasks.filter((task) => task.state !== 'stopped').length;
console.log(JSON.stringify({ part: 'result', devices: devices.length, state, problems, status, left }));
process.exit(await core.leave());
