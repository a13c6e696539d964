import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { deviceOf, nodesByDevice, totalBytes, transfers } from '../../../../main/programs/trace.ts';

const [ps, worker] = ['/job:ps/replica:0/task:0/device:CPU:0', '/job:worker/replica:0/task:0/device:CPU:0'];
const metadata = create(RunMetadataSchema, {
  stepStats: {
    devStats: [
      {
        device: worker,
        nodeStats: [
          { nodeName: 'RecvTensor', timelineLabel: `[8B] [1.000000Mb/s] edge_1_var from ${ps} to ${worker}` },
          { nodeName: 'RecvTensor', timelineLabel: `[0B] edge_2_done from ${ps} to ${worker}` },
        ],
      },
      { device: ps, nodeStats: [{ nodeName: 'var', timelineLabel: 'var = VariableV2()' }] },
      { device: worker, nodeStats: [{ nodeName: 'add', timelineLabel: 'add = AddV2(var, one)' }] },
    ],
  },
});

describe('a trace', () => {
  it('gives the nodes of each device, all lists of one device together', () => {
    expect([...nodesByDevice(metadata)]).toEqual([
      [ps, ['var']],
      [worker, ['RecvTensor', 'RecvTensor', 'add']],
    ]);
  });

  it('tells which device ran a node', () => {
    expect(deviceOf(metadata, 'add')).toBe(worker);
    expect(deviceOf(metadata, 'sub')).toBe('');
  });

  it('gives the transfers that carried something', () => {
    expect(transfers(metadata)).toMatchObject([{ bytes: 8, tensor: 'edge_1_var', from: ps, to: worker }]);
    expect(totalBytes(transfers(metadata))).toBe(8);
  });

  it('of a step without step stats is empty', () => {
    const none = create(RunMetadataSchema);
    expect([[...nodesByDevice(none)], transfers(none), totalBytes([])]).toEqual([[], [], 0]);
  });
});
