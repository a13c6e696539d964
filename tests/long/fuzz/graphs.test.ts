import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { constant, graphDef, scalar } from '../../integration/task/graphs.ts';
import { MasterClient } from '../../integration/task/master-client.ts';
import { type Cluster, startCluster } from '../../support/cluster.ts';
import { badNodes } from './bad-nodes.ts';
import { badValues } from './bad-values.ts';
import type { NodeInit } from './graph-parts.ts';

let cluster: Cluster;
let client: MasterClient;
beforeAll(async () => {
  cluster = await startCluster({ jobs: { l: 1 }, engine: 'bundled' });
  client = new MasterClient(cluster.target('l', 0));
});
afterAll(async () => {
  client?.dispose();
  await cluster?.stop();
});

/** Name of the code and text of the failure. */
async function outcome(nodes: readonly NodeInit[]): Promise<{ code: string; message: string }> {
  try {
    const session = await client.createSession(create(GraphDefSchema, { node: [...nodes], versions: { producer: 134 } }));
    await client.runStep(session, { targets: ['out'] });
    return { code: 'OK', message: '' };
  } catch (error) {
    const { codeName, message } = toStatusError(error);
    return { code: codeName, message };
  }
}

const table = [...badNodes, ...badValues].flatMap(({ codes, graphs }) =>
  Object.entries(graphs).map(([name, nodes]) => ({ name, codes, nodes })),
);

describe('a graph that cannot run is refused, and others go on running', () => {
  it.each(table)('$name', async ({ codes, nodes }) => {
    const { code, message } = await outcome(nodes);
    expect(codes, `${code}: ${message}`).toContain(code);
    const session = await client.createSession(graphDef(constant('c', scalar(3))));
    expect(await client.runStep(session, { fetches: ['c:0'] })).toEqual([scalar(3)]);
    await client.closeSession(session);
  });
});
