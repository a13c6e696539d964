import { beforeEach, describe, expect, it } from 'vitest';
import type { ClusterInfo, ClusterState, TaskInfo } from '#proto/ipc/contract.ts';
import { Credentials } from '#proto/trust/credentials.ts';
import { unavailable } from '#proto/wire/status.ts';
import type { GateEnv } from '../../../../../main/cluster/gateway/gate.ts';
import { Gateways } from '../../../../../main/cluster/gateway/gateways.ts';
import { makeTlsLab } from '../../../../support/tls-lab.ts';

const nameOf = (index: number): string => `/job:worker/replica:0/task:${index}`;
const task = (index: number, address: string, engine: TaskInfo['engine'] = 'bundled'): TaskInfo => ({
  ...{ index, machine: 'm', engine, port: 0, virtualGpus: 0, name: nameOf(index), state: 'running', reason: '', address },
  ...{ startedAt: 0, incarnation: '', memory: 0, heartbeatAge: -1, stepsPerSecond: -1, restarts: 0 },
});
const cluster = (tasks: readonly TaskInfo[], state: ClusterState = 'running'): ClusterInfo => ({
  ...{ id: 'c', title: 'Lab', state },
  jobs: [{ name: 'worker', tasks }],
});

describe('gateways', () => {
  /** Those that are open, with where they lead. */
  let gates: Map<number, GateEnv>;
  let failure: Error | undefined;
  let log: string[];
  let changes: number;
  let gateways: Gateways;
  const leads = () => [...gates.values()].map((env) => `${env.task} ${env.to().host}:${env.to().port}`);
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  beforeEach(async () => {
    const lab = await makeTlsLab();
    const credentials = new Credentials(lab.user, (line) => log.push(line));
    gates = new Map();
    failure = undefined;
    log = [];
    changes = 0;
    let port = 4000;
    gateways = new Gateways({
      credentials: async () => credentials,
      openGate: async (env) => {
        if (failure) throw failure;
        const own = ++port;
        gates.set(own, env);
        return { target: `grpc://127.0.0.1:${own}`, identify: async () => [], close: async () => void gates.delete(own) };
      },
      onChange: () => changes++,
      log: (line) => log.push(line),
    });
    return () => lab.dispose();
  });

  it('have a gate for each task that speaks TLS, and tell the others as they are', async () => {
    expect(gateways.addresses('c')).toBeUndefined();
    await gateways.open(
      cluster([task(0, '10.0.0.1:1'), task(1, '10.0.0.2:2', 'tensorflow'), task(2, '127.0.0.1:3'), task(3, '[fd00::1]:4')]),
    );
    expect(gateways.addresses('c')).toEqual({
      [nameOf(0)]: '127.0.0.1:4001',
      [nameOf(1)]: '10.0.0.2:2',
      [nameOf(2)]: '127.0.0.1:3',
      [nameOf(3)]: '127.0.0.1:4002',
    });
    expect([leads(), changes]).toEqual([[`${nameOf(0)} 10.0.0.1:1`, `${nameOf(3)} fd00::1:4`], 1]);
  });

  it('keep their ports when tasks move, are being started or have no address for a while', async () => {
    await gateways.open(cluster([task(0, '10.0.0.1:1')]));
    gateways.follow([cluster([task(0, '')], 'starting')]);
    expect(gateways.addresses('c')).toEqual({ [nameOf(0)]: '127.0.0.1:4001' });
    gateways.follow([cluster([task(0, '10.0.0.9:9')], 'degraded')]);
    await settled();
    expect([gateways.addresses('c'), leads()]).toEqual([{ [nameOf(0)]: '127.0.0.1:4001' }, [`${nameOf(0)} 10.0.0.9:9`]]);
  });

  it('follow tasks that come and go', async () => {
    await gateways.open(cluster([task(0, '10.0.0.1:1'), task(1, '')], 'starting'));
    expect(Object.keys(gateways.addresses('c') ?? {})).toEqual([nameOf(0)]);
    gateways.follow([cluster([task(1, '10.0.0.2:2')])]);
    await settled();
    expect([gateways.addresses('c'), leads()]).toEqual([{ [nameOf(1)]: '127.0.0.1:4002' }, [`${nameOf(1)} 10.0.0.2:2`]]);
  });

  it.each<[string, (of: ClusterInfo) => unknown]>([
    ['switched off', () => gateways.close('c')],
    ['the cluster is being stopped', (of) => gateways.follow([{ ...of, state: 'stopping' }])],
    ['the cluster is gone', () => gateways.follow([])],
    ['the core ends', () => gateways.closeAll()],
  ])('close when %s', async (_, end) => {
    const of = cluster([task(0, '10.0.0.1:1')]);
    await gateways.open(of);
    await end(of);
    await settled();
    expect([gateways.addresses('c'), gates.size]).toEqual([undefined, 0]);
  });

  it('close also while they are being opened', async () => {
    const opening = gateways.open(cluster([task(0, '10.0.0.1:1')]));
    await gateways.close('c');
    await opening;
    expect([gateways.addresses('c'), gates.size]).toEqual([undefined, 0]);
  });

  it('are only for clusters that run', async () => {
    await expect(gateways.open(cluster([task(0, '')], 'stopped'))).rejects.toMatchObject({
      codeName: 'FAILED_PRECONDITION',
      message: "Cluster 'Lab' does not run; start it first",
    });
  });

  it('stay closed when a gate cannot be opened', async () => {
    failure = unavailable('no more files');
    await expect(gateways.open(cluster([task(0, '10.0.0.1:1')]))).rejects.toThrow('no more files');
    expect(gateways.addresses('c')).toBeUndefined();
  });

  it('complain once about a gate that cannot be opened later, and go on trying', async () => {
    await gateways.open(cluster([task(0, '10.0.0.1:1')]));
    const both = cluster([task(0, '10.0.0.1:1'), task(1, '10.0.0.2:2')]);
    failure = unavailable('no more files');
    for (let i = 0; i < 3; i++) {
      gateways.follow([both]);
      await settled();
    }
    expect([log, Object.keys(gateways.addresses('c') ?? {})]).toEqual([['no more files'], [nameOf(0)]]);
    failure = undefined;
    gateways.follow([both]);
    await settled();
    expect(Object.keys(gateways.addresses('c') ?? {})).toEqual([nameOf(0), nameOf(1)]);
  });
});
