import { describe, expect, it } from 'vitest';
import { familyOf } from '../../../../renderer/plots/timeline/op-family.ts';
import { findArrows, nodeOf, visibleArrows } from '../../../../renderer/plots/timeline/transfers.ts';
import { laneOf } from './lanes-of.ts';

const [ps, worker] = ['/job:ps/replica:0/task:0/device:CPU:0', '/job:worker/replica:0/task:0/device:CPU:0'];
const receive = { name: 'edge_3_var/read', op: 'RecvTensor', from: ps, bytes: 40 };

describe('transfers', () => {
  it('go from the node that made the tensor to the end of the receiving slice', () => {
    const lanes = [
      laneOf(ps, [{ name: 'var/read', start: 10, end: 20 }]),
      laneOf(worker, [
        { name: 'other', start: 0, end: 5 },
        { ...receive, start: 8, end: 50 },
      ]),
    ];
    expect(findArrows(lanes)).toEqual([
      { producer: { lane: 0, slice: 0 }, fromLane: 0, receiver: { lane: 1, slice: 1 }, leave: 20, arrive: 50, bytes: 40 },
    ]);
  });

  it('leave at the start of the transfer when clocks disagree or the maker is not known', () => {
    const late = laneOf(ps, [{ name: 'var/read', start: 90, end: 99 }]);
    const unknown = laneOf(ps, [{ name: 'other', start: 0, end: 1 }]);
    const receiver = laneOf(worker, [{ ...receive, start: 30, end: 50 }]);
    expect(findArrows([late, receiver])[0]).toMatchObject({ leave: 30, arrive: 50, producer: { lane: 0, slice: 0 } });
    expect(findArrows([unknown, receiver])[0]).toMatchObject({ leave: 30, arrive: 50, producer: undefined });
  });

  it('from a device without a lane have no arrow', () => {
    expect(findArrows([laneOf(worker, [{ ...receive, start: 0, end: 1 }])])).toEqual([]);
  });

  it('are thinned to what can be told apart, and to the shown time', () => {
    const many = Array.from({ length: 5000 }, (_, k) => ({ ...receive, start: k, end: k + 1 }));
    const arrows = findArrows([laneOf(ps, []), laneOf(worker, many)]);
    expect(arrows).toHaveLength(5000);
    expect(visibleArrows(arrows, 0, 5000, 10).length).toBeLessThan(400);
    expect(visibleArrows(arrows, 100, 110, 0.01)).toHaveLength(12);
  });
});

describe('the node behind a tensor', () => {
  it('has neither edge number, output nor control mark', () => {
    expect(['edge_12_w/read:1', 'w/read:1', '^w/read', 'edge_2_edge_list'].map(nodeOf)).toEqual([
      'w/read',
      'w/read',
      'w/read',
      'edge_list',
    ]);
  });
});

describe('the family of an op', () => {
  it('is what the op is about', () => {
    const families = [
      'MatMul',
      'AssignAdd',
      'VariableV2',
      'Const',
      'RecvTensor',
      '_Recv',
      'NoOp',
      'QueueDequeueV2',
      'ApplyGradientDescent',
      'unknown',
    ].map(familyOf);
    expect(families).toEqual(['compute', 'state', 'state', 'data', 'transfer', 'transfer', 'flow', 'flow', 'state', 'other']);
  });
});
