import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterInfo, GraphView, PlacementView } from '#proto/ipc/contract.ts';
import { decodeGraphDef, parseGraphDef } from '../../../main/client/index.ts';
import { CoreClient } from './core-client.ts';

const cpu = (job: string, task: number): string => `/job:${job}/replica:0/task:${task}/device:CPU:0`;
const WORKER_1 = '/job:worker/replica:0/task:1';

describe('graphs of programs', () => {
  let folder: string;
  let core: CoreClient;
  let machine: string;

  const clusterOf = (jobs: Readonly<Record<string, number>>, virtualGpus = 0): Promise<ClusterInfo> =>
    core.call('clusters.save', {
      title: 'Lab',
      jobs: Object.entries(jobs).map(([name, count]) => ({
        name,
        tasks: Array.from({ length: count }, (_, index) => ({ index, machine, engine: 'bundled' as const, port: 0, virtualGpus })),
      })),
    });
  const view = (program: string, client?: string): Promise<GraphView> =>
    core.call('graphs.view', { of: { program }, ...(client !== undefined && { client }) });
  const place = (program: string, options: { client?: string; cluster?: string } = {}): Promise<PlacementView> =>
    core.call('graphs.place', { of: { program }, ...options });
  const pin = (program: string, pins: Readonly<Record<string, string>>) => core.call('programs.setPins', { program, pins });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-graphs-'));
    core = new CoreClient(folder);
    machine = (await core.call('machines.list', null))[0]?.id ?? '';
  });
  afterAll(async () => {
    await core.leave();
    await rm(folder, { recursive: true });
  });

  it('shows what each client builds, in columns', async () => {
    const graph = await view('ps-workers');
    expect(graph.clients).toEqual(['/job:ps/replica:0/task:0', '/job:worker/replica:0/task:0', WORKER_1]);
    expect(graph.client).toBe('/job:ps/replica:0/task:0');
    const at = graph.names.indexOf('var');
    expect([graph.ops[at], graph.devices[at], graph.inputs[at], graph.outputs[at]]).toEqual([
      'VariableV2',
      '/job:ps/task:0',
      [],
      ['float[]'],
    ]);
    const worker = await view('ps-workers', WORKER_1);
    expect(worker.client).toBe(WORKER_1);
    expect(worker.ops).toContain('AssignAdd');
    expect(graph.ops).not.toContain('AssignAdd');
    await expect(view('ps-workers', 'nobody')).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
    await expect(view('no-such-program')).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
  });

  it('shows one node with its attrs and consumers', async () => {
    const node = await core.call('graphs.node', { of: { program: 'ps-workers' }, node: 'var' });
    expect(node).toMatchObject({ name: 'var', op: 'VariableV2', device: '/job:ps/task:0', outputs: ['float[]'] });
    expect(node.summary).toContain('VariableV2(');
    expect(node.consumers).toEqual(expect.arrayContaining(['var/Assign', 'var/read']));
    expect(Object.fromEntries(node.attrs)).toMatchObject({ dtype: 'float', shape: '[]' });
    await expect(core.call('graphs.node', { of: { program: 'ps-workers' }, node: 'x' })).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
  });

  it('places on the cluster that the program wants, without starting it', async () => {
    const { devices, reasons, problems, unusedPins } = await place('in-graph-regression');
    expect([problems, unusedPins]).toEqual([[], []]);
    expect(new Set(Object.values(devices))).toEqual(new Set([cpu('canshu', 0), cpu('canshu', 1), cpu('gongzuo', 0), cpu('gongzuo', 1)]));
    expect(Object.keys(reasons)).toEqual(Object.keys(devices));
    expect(Object.values(reasons)).toContain('requested');
  });

  it('places on cards that the program wants to be pretended, and on a private task for one without cluster', async () => {
    const cards = await place('single-machine-multi-card');
    expect(cards.problems).toEqual([]);
    expect(Object.values(cards.devices).some((device) => device.endsWith('/device:GPU:1'))).toBe(true);
    const local = await place('local-sessions');
    expect(local.problems).toEqual([]);
    expect(new Set(Object.values(local.devices))).toEqual(new Set(['/job:localhost/replica:0/task:0/device:CPU:0']));
  });

  it('applies pins, tells each wrong one, and those that name nothing; the rest is placed', async () => {
    const program = 'ps-workers';
    await pin(program, { var: '/job:worker/task:1' });
    const moved = await place(program, { client: WORKER_1 });
    expect(moved.devices['var']).toBe(cpu('worker', 1));
    await pin(program, { var: '/job:worker/task:7', finished: '/gpu:0', 'nothing/': '/cpu:0', ghost: '/cpu:0' });
    const wrong = await place(program, { client: WORKER_1 });
    expect(wrong.unusedPins).toEqual(['nothing/', 'ghost']);
    expect(wrong.problems.map(({ text }) => text).sort()).toEqual([
      'finished is pinned to /gpu:0, but the cluster has no GPU',
      "var is pinned to /job:worker/task:7, but the cluster's worker tasks are 0 to 1",
    ]);
    expect(wrong.problems.every(({ details }) => details.includes('Cannot assign a device'))).toBe(true);
    expect(wrong.devices['var']).toBeUndefined();
    expect(Object.keys(wrong.devices).length).toBeGreaterThan(0);
    await pin(program, {});
  });

  it('exports the graph with its pins, as bytes and as text', async () => {
    await pin('ps-workers', { var: '/job:worker/task:1' });
    const query = { of: { program: 'ps-workers' }, client: WORKER_1 };
    const [bytes, text] = await Promise.all([
      core.call('graphs.export', { ...query, format: 'pb' }),
      core.call('graphs.export', { ...query, format: 'pbtxt' }),
    ]);
    expect([bytes.name, text.name]).toEqual(['ps-workers-worker-1.pb', 'ps-workers-worker-1.pbtxt']);
    const def = decodeGraphDef(bytes.content);
    expect(parseGraphDef(new TextDecoder().decode(text.content))).toEqual(def);
    expect(def.node.find(({ name }) => name === 'var')?.device).toBe('/job:worker/task:1');
    expect((await view('ps-workers', WORKER_1)).devices).not.toContain('/job:worker/task:1');
    await pin('ps-workers', {});
  });

  it('sees a program as it is now', async () => {
    const { name } = await core.call('programs.create', { kind: 'code', title: 'Changes' });
    expect((await view(name)).names).toContain('counter');
    const { source } = await core.call('programs.read', { program: name });
    await core.call('programs.write', { program: name, source: source.replaceAll("'counter'", "'other'") });
    const { names } = await view(name);
    expect(names).toContain('other');
    expect(names).not.toContain('counter');
  });

  it.each([
    ['location-trace', {}],
    ['location-trace', { var: '/job:local/task:1', 'var1/': '/job:local/task:1/cpu:0' }],
    ['single-machine-multi-card', {}],
    ['gradient-averaging', {}],
  ])('says of %s, pinned %j, where a run really has its nodes', async (program, pins) => {
    await pin(program, pins);
    const placements = new Map<string, PlacementView>();
    for (const client of (await view(program)).clients) placements.set(client, await place(program, { client }));
    const { id } = await core.call('runs.start', { program, plan: { traceEvery: 20 } });
    const { run } = await core.when('runs.changed', (change) => change.run.id === id && change.run.endedAt > 0);
    await pin(program, {});
    expect(run).toMatchObject({ state: 'finished' });
    let compared = 0;
    for (const { id: trace, client } of await core.call('runs.traces', { run: id })) {
      const { lanes } = await core.call('runs.trace', { run: id, trace });
      const graphs = [...placements].filter(([name]) => name === client || name.startsWith(`${client} #`)).map(([, each]) => each);
      for (const { device, names } of lanes) {
        // What is in none of the client's graphs was added by the partitioner.
        for (const name of names.filter((each) => graphs.some(({ devices }) => each in devices))) {
          expect({ name, devices: graphs.map(({ devices }) => devices[name]) }).toEqual({
            name,
            devices: expect.arrayContaining([device]),
          });
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(5);

    const recorded = await core.call('graphs.view', { of: { run: id } });
    expect(recorded.clients).toEqual([...placements.keys()]);
    const again = await core.call('graphs.place', { of: { run: id }, client: recorded.client });
    const devices = placements.get(recorded.client)?.devices ?? {};
    expect(Object.fromEntries(recorded.names.map((name) => [name, again.devices[name]]))).toEqual(
      Object.fromEntries(recorded.names.map((name) => [name, devices[name]])),
    );
  });

  describe('on a cluster', () => {
    let cluster: ClusterInfo;

    beforeAll(async () => {
      cluster = await clusterOf({ ps: 1, worker: 3 }, 1);
    });

    it('that does not run: on the devices that it will have', async () => {
      const devices = await core.call('clusters.devices', { cluster: cluster.id });
      expect(devices).toHaveLength(8);
      expect(devices).toContainEqual({
        name: '/job:worker/replica:0/task:2/device:GPU:0',
        type: 'GPU',
        description: 'virtual',
        isVirtual: true,
      });
      await pin('ps-workers', { var: '/job:worker/task:2/gpu:0' });
      const worker2 = '/job:worker/replica:0/task:2';
      const { devices: placed, problems } = await place('ps-workers', { cluster: cluster.id, client: worker2 });
      expect(problems).toEqual([]);
      expect(placed['var']).toBe('/job:worker/replica:0/task:2/device:GPU:0');
      await pin('ps-workers', {});
    });

    it('too small for the program: as it is for the one that it wants, and says so', async () => {
      const small = await clusterOf({ ps: 1, worker: 1 });
      const { problems, devices } = await place('ps-workers', { cluster: small.id, client: WORKER_1 });
      expect(problems[0]?.text).toContain(WORKER_1);
      expect(devices['var']).toBe(cpu('ps', 0));
    });

    it('that runs: as one of its tasks says, also while another one is gone', async () => {
      await core.call('clusters.start', { cluster: cluster.id });
      const devices = await core.call('clusters.devices', { cluster: cluster.id });
      expect(devices.map(({ name }) => name).sort()).toHaveLength(8);
      const card = devices.find(({ name }) => name === '/job:worker/replica:0/task:2/device:GPU:0');
      expect(card).toMatchObject({ type: 'GPU', isVirtual: true });
      expect(card?.description).toMatch(/^virtual device/);
      const before = await place('ps-workers', { cluster: cluster.id, client: WORKER_1 });
      expect(before.problems).toEqual([]);
      expect(before.devices['var']).toBe('/job:ps/replica:0/task:0/device:GPU:0');

      const task = '/job:worker/replica:0/task:2';
      const isLost = core.when('clusters.changed', ({ clusters }) =>
        clusters.some(({ id, state }) => id === cluster.id && state === 'degraded'),
      );
      await core.call('clusters.disturbTask', { cluster: cluster.id, task, how: 'kill' });
      await isLost;
      expect(await core.call('clusters.devices', { cluster: cluster.id })).toHaveLength(8);
      const after = await place('ps-workers', { cluster: cluster.id, client: WORKER_1 });
      expect(after).toEqual(before);
      await core.call('clusters.stop', { cluster: cluster.id });
    });
  });
});
