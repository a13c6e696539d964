import { describe, expect, it } from 'vitest';
import { Code, failedPrecondition, invalidArgument, StatusError } from '#proto/wire/status.ts';
import { Graph } from '../../../../main/client/index.ts';
import { placeLine, withChosenDevice, withPlace } from '../../../../main/program-host/failed-node.ts';
import { isTaskLoss, lossText } from '../../../../main/program-host/task-loss.ts';

const graph = new Graph();
graph.device('/job:ps/task:1/cpu:0', () => graph.variable('w', 0));
graph.constant(1, { name: 'free' });
const place = { graph, devices: new Map([['pinned', '/job:ps/task:0']]), master: '/job:worker/replica:0/task:0' };

describe('the place of a failure', () => {
  it.each([
    [
      'Attempting to use uninitialized value w\n\t [[{{node w/read}}]]',
      'w/read',
      '/job:ps/task:1/device:CPU:0',
      '/job:ps/replica:0/task:1',
    ],
    ['Cannot assign a device for operation free: no device\n\t [[free]]', 'free', undefined, '/job:worker/replica:0/task:0'],
    ["Node 'free': Unknown input node 'x'", 'free', undefined, '/job:worker/replica:0/task:0'],
  ])('is found in %j', (message, node, device, task) => {
    const { details, codeName } = withPlace(failedPrecondition(message), place);
    expect(codeName).toBe('FAILED_PRECONDITION');
    expect(details).toEqual({ node, op: graph.nodes.get(node)?.type, ...(device && { device }), task });
  });

  it('is the master when no node is named', () => {
    const error = withPlace(invalidArgument('no such thing as {{node elsewhere}}'), place);
    expect(error.details).toEqual({ task: place.master });
    expect(placeLine(error)).toBe('It came from the master /job:worker/replica:0/task:0');
    expect(placeLine(invalidArgument('not of a step'))).toBe('');
  });

  it('is made exact by asking the master, where the program left the device to it', async () => {
    const vague = withPlace(invalidArgument('bad\n\t [[{{node free}}]]'), place);
    expect(placeLine(vague)).toBe('It arose in node free (Const) on a device that /job:worker/replica:0/task:0, the master, chose');
    const exact = await withChosenDevice(vague, async () => '/job:ps/replica:0/task:0/device:CPU:0');
    expect(exact.details).toMatchObject({ device: '/job:ps/replica:0/task:0/device:CPU:0', task: '/job:ps/replica:0/task:0' });
    expect(placeLine(exact)).toBe('It arose in node free (Const) on /job:ps/replica:0/task:0/device:CPU:0');
    expect(exact.stack).toBe(vague.stack);
    expect(await withChosenDevice(vague, async () => undefined)).toBe(vague);
  });
});

describe('the loss of a task', () => {
  const restarted = 'From /job:ps/replica:0/task:0:\nSession handle is not found: 04. Possibly this worker just restarted.';

  it.each<[StatusError | Error, boolean]>([
    [new StatusError(Code.UNAVAILABLE, 'refused'), true],
    [new StatusError(Code.ABORTED, restarted), true],
    [
      new StatusError(
        Code.ABORTED,
        'RecvTensor expects a different device incarnation: 1 vs. 2. Your worker job ("/job:ps") was probably restarted.',
      ),
      true,
    ],
    [new StatusError(Code.ABORTED, 'Step was cancelled'), false],
    [failedPrecondition('Attempting to use uninitialized value w'), false],
    [new Error('UNAVAILABLE'), false],
  ])('is told from other errors: %s', (error, isLoss) => {
    expect(isTaskLoss(error)).toBe(isLoss);
  });

  it('is said in one line', () => {
    expect(lossText(new StatusError(Code.ABORTED, restarted))).toBe(
      'Session handle is not found: 04. Possibly this worker just restarted.',
    );
    expect(lossText(new StatusError(Code.UNAVAILABLE, 'one\ntwo'))).toBe('one');
  });
});
