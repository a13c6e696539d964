import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { PlaceGraphRequestSchema } from '#proto/generated/lanflow/task_service_pb.ts';
import { Code } from '#proto/wire/status.ts';
import { previewPlacement } from '../../../../task-server/master/placement-preview.ts';
import { soundGraph } from '../../../../task-server/master/sound-graph.ts';
import { fakeCluster, PS0, W0, W1 } from './fake-cluster.ts';
import { graphDef, type NodeSpec } from './graph-builder.ts';

const FLOAT = { T: 'float' };
const constant = (name: string, device = ''): NodeSpec => ({ name, op: 'Const', device, attr: { dtype: 'float', value: 1 } });
const variable = (name: string, device = ''): NodeSpec => ({ name, op: 'VariableV2', device, attr: { dtype: 'float', shape: [] } });
const assign = (name: string, to: string, from: string, device = ''): NodeSpec => ({
  name,
  op: 'Assign',
  input: [to, from],
  device,
  attr: FLOAT,
});
const neg = (name: string, input: string, more: Partial<NodeSpec> = {}): NodeSpec => ({
  name,
  op: 'Neg',
  input: [input],
  attr: FLOAT,
  ...more,
});

async function preview(
  nodes: readonly NodeSpec[],
  request: MessageInitShape<typeof PlaceGraphRequestSchema> = {},
  { env } = fakeCluster(),
) {
  const def = graphDef(...nodes);
  const response = await previewPlacement(env, create(PlaceGraphRequestSchema, { graphDef: def, ...request }));
  return {
    devices: Object.fromEntries((response.node ?? []).map(({ name = '', device = '' }) => [name, device])),
    reasons: Object.fromEntries((response.node ?? []).map(({ name = '', reason = '' }) => [name, reason])),
    problems: Object.fromEntries((response.problem ?? []).map(({ node = '', text = '' }) => [node, text])),
    colocated: (response.problem ?? []).map(({ colocated = [] }) => [...colocated].sort()),
    available: response.device,
    leftOut: response.leftOut,
  };
}

describe('previewPlacement', () => {
  it('has a place and a reason for every node, on the devices of all tasks', async () => {
    const { devices, reasons, problems, available } = await preview([
      variable('v', '/job:worker/task:1'),
      constant('c'),
      assign('a', 'v', 'c'),
    ]);
    expect(devices).toEqual({ v: `${W1}/device:CPU:0`, c: `${W1}/device:CPU:0`, a: `${W1}/device:CPU:0` });
    expect(reasons).toEqual({ v: 'requested', c: 'follows its consumers', a: 'colocated with v' });
    expect(problems).toEqual({});
    expect(available).toEqual([PS0, W0, W1].map((task) => `${task}/device:CPU:0`));
  });

  it('tells every wrong device, each once for all that must share it, and places the rest', async () => {
    const { devices, problems, colocated } = await preview([
      variable('v'),
      constant('c'),
      assign('a', 'v', 'c', '/job:worker/task:7'),
      constant('d', '/gpu:0'),
      constant('e', 'nowhere'),
      neg('n', 'd'),
    ]);
    expect(Object.keys(problems).sort()).toEqual(['d', 'e', 'v']);
    expect(problems['e']).toContain("Malformed device specification 'nowhere'");
    expect(colocated).toContainEqual(['a', 'v']);
    expect(Object.keys(devices).sort()).toEqual(['c', 'n']);
  });

  it('tells a pin that is at odds with a colocated one, and keeps that one', async () => {
    const { devices, problems } = await preview([
      constant('a', '/job:ps/task:0'),
      { ...constant('b', '/job:worker/task:1'), class: ['a'] },
      { ...constant('c'), class: ['a'] },
    ]);
    expect(Object.keys(problems)).toEqual(['b']);
    expect(problems['b']).toContain('Cannot colocate nodes');
    expect(devices).toEqual({ a: `${PS0}/device:CPU:0`, c: `${PS0}/device:CPU:0` });
  });

  it('leaves out what the device filters do, without waiting for it; the master itself stays', async () => {
    const cluster = fakeCluster();
    cluster.workers.w1.getStatus = () => new Promise(() => undefined);
    const nodes = [constant('a', '/job:ps'), constant('b', '/job:worker/task:1'), constant('c')];
    const { devices, problems, available, leftOut } = await preview(nodes, { deviceFilters: ['/job:ps'] }, cluster);
    expect(devices).toEqual({ a: `${PS0}/device:CPU:0`, c: `${PS0}/device:CPU:0` });
    expect(Object.keys(problems)).toEqual(['b']);
    expect(available).toEqual([`${PS0}/device:CPU:0`, `${W0}/device:CPU:0`]);
    expect(leftOut).toEqual([W1]);
  });

  it('filters devices that nobody has in the same way, for the master that is asked about', async () => {
    const device = [PS0, W0, W1].flatMap((task) => ['CPU', 'GPU'].map((type) => ({ name: `${task}/device:${type}:0`, deviceType: type })));
    const deviceFilters = ['/job:ps/device:CPU:0'];
    const { devices, available, leftOut } = await preview([constant('a'), constant('b', '/job:worker')], {
      device,
      task: W1,
      deviceFilters,
    });
    expect(devices).toEqual({ a: `${W1}/device:GPU:0`, b: `${W1}/device:GPU:0` });
    expect(available).toEqual([`${PS0}/device:CPU:0`, `${W1}/device:CPU:0`, `${W1}/device:GPU:0`]);
    expect(leftOut).toEqual([W0]);
  });

  it('softens what a session would', async () => {
    const nodes = [constant('a', '/job:worker/task:1/gpu:0')];
    expect(Object.keys((await preview(nodes)).problems)).toEqual(['a']);
    const { devices, problems } = await preview(nodes, { allowSoftPlacement: true });
    expect([devices, problems]).toEqual([{ a: `${W1}/device:CPU:0` }, {}]);
  });

  it('refuses devices without a task, device filters that are none, and an unknown rule', async () => {
    await expect(preview([], { device: [{ name: '/cpu:0', deviceType: 'CPU' }] })).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT });
    await expect(preview([], { deviceFilters: ['worker0'] })).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT });
    await expect(preview([], { rule: 'best' })).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT });
  });
});

describe('soundGraph', () => {
  const sound = (...nodes: readonly NodeSpec[]) => {
    const { graph, problems } = soundGraph(graphDef(...nodes), 'test');
    return { nodes: [...graph.nodes.keys()], problems: problems.map(({ node, error }) => [node, error.code]) };
  };

  it('leaves out what is wrong, and all that depends on it by edge or colocation, with one problem for each', () => {
    const { INVALID_ARGUMENT, NOT_FOUND } = Code;
    const nodes = [
      constant('good'),
      { name: 'unknown', op: 'NoSuchOp' },
      neg('behind', 'unknown'),
      neg('further', 'behind'),
      neg('waits', 'good', { input: ['good', '^further'] }),
      neg('shares', 'good', { class: ['further'] }),
      neg('lost', 'nothing'),
      { name: 'without', op: 'Neg', attr: FLOAT },
      neg('apart', 'good', { class: ['nobody'] }),
      { ...constant('bad name') },
      neg('fine', 'good'),
    ];
    const { nodes: left, problems } = sound(...nodes);
    expect(left).toEqual(['good', 'fine']);
    expect(problems.sort()).toEqual([
      ['apart', INVALID_ARGUMENT],
      ['bad name', INVALID_ARGUMENT],
      ['lost', INVALID_ARGUMENT],
      ['unknown', NOT_FOUND],
      ['without', INVALID_ARGUMENT],
    ]);
  });

  it('gives up on a definition with too many faults, and on one that is wrong as a whole', () => {
    const many = sound(...Array.from({ length: 50 }, (_, i) => ({ name: `n${i}`, op: 'NoSuchOp' })), constant('good'));
    expect(many.problems).toHaveLength(20);
    expect(many.nodes).toEqual([]);
    const def = graphDef(constant('good'));
    if (def.versions) def.versions.minConsumer = 1_000_000;
    const { graph, problems } = soundGraph(def, 'test');
    expect([graph.nodes.size, problems.map(({ node }) => node)]).toEqual([0, ['']]);
  });
});
