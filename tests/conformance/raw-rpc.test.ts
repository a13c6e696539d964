import type { MessageInitShape } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigProtoSchema } from '#proto/generated/tensorflow/config_pb.ts';
import type { NodeDefSchema } from '#proto/generated/tensorflow/node_def_pb.ts';
import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { makeTensor } from '#proto/wire/tensor.ts';
import { toTensorProto } from '#proto/wire/tensor-codec.ts';
import { MasterClient } from '../../main/client/session/master-client.ts';
import { methods } from '../../main/client/session/master-methods.ts';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { python, withTensorFlow } from '../support/python.ts';
import type { TaskEngine } from '../support/task-process.ts';

type NodeInit = MessageInitShape<typeof NodeDefSchema>;
type ConfigInit = MessageInitShape<typeof ConfigProtoSchema>;

const one = toTensorProto(makeTensor('float', [], new Float32Array([1])));
const float = { value: { case: 'type', value: DataType.DT_FLOAT } } as const;

const constant = (name: string): NodeInit => ({
  name,
  op: 'Const',
  attr: { dtype: float, value: { value: { case: 'tensor', value: one } } },
});
const placeholder: NodeInit = { name: 'x', op: 'Placeholder', attr: { dtype: float } };
const twice: NodeInit = { name: 'twice', op: 'AddV2', input: ['x', 'x'], attr: { T: float } };
const graph = (...node: NodeInit[]) => ({ node, versions: { producer: 1395 } });
const feed = (name: string) => ({ name, tensor: one });

/** What a client library would never send, or hides the answer to. */
class RawClient {
  readonly #master: MasterClient;
  readonly #target: string;

  constructor(target: string) {
    this.#target = target;
    this.#master = new MasterClient(target, {});
  }

  async session(nodes: readonly NodeInit[], config: ConfigInit = {}): Promise<string> {
    return (await this.#master.call(methods.createSession, { graphDef: graph(...nodes), config, target: this.#target })).sessionHandle;
  }

  /** `CODE: text`, `OK` for a step that succeeded. */
  async step(sessionHandle: string, fetch: readonly string[], more: { feed?: string[]; target?: string[] } = {}): Promise<string> {
    const request = { sessionHandle, fetch: [...fetch], target: more.target ?? [], feed: (more.feed ?? []).map(feed) };
    return outcome(async () => {
      const response = await this.#master.call(methods.runStep, { ...request, options: {}, storeErrorsInResponseBody: true });
      if (response.statusCode !== 0) throw Object.assign(new Error(response.statusErrorMessage), { code: response.statusCode });
    });
  }

  extend(sessionHandle: string, nodes: readonly NodeInit[], currentGraphVersion = 0n): Promise<string> {
    return outcome(() => this.#master.call(methods.extendSession, { sessionHandle, graphDef: graph(...nodes), currentGraphVersion }));
  }

  create(nodes: readonly NodeInit[], config: ConfigInit = {}): Promise<string> {
    return outcome(() => this.session(nodes, config));
  }

  /** One master finds a mistake as the graph comes, the other at the step that needs the node. */
  async createAndRun(nodes: readonly NodeInit[], fetch: string): Promise<string> {
    const created = await this.create(nodes);
    return created === 'OK' ? this.step(await this.session(nodes), [fetch]) : created;
  }

  close(sessionHandle: string): Promise<string> {
    return outcome(() => this.#master.call(methods.closeSession, { sessionHandle }));
  }

  listDevices(sessionHandle: string): Promise<string> {
    return outcome(() => this.#master.call(methods.listDevices, { sessionHandle }));
  }

  end(): void {
    this.#master.close();
  }
}

async function outcome(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return 'OK';
  } catch (error) {
    const { code, message } = error as Error & { code: number };
    return `${code}: ${message}`;
  }
}

interface RawCase {
  readonly name: string;
  run(client: RawClient, address: string): Promise<string>;
  /** The code, by its number, and parts of the text. */
  readonly code: number;
  readonly says: readonly string[];
}

const unknownHandle = '0123456789abcdef';

const cases: readonly RawCase[] = [
  {
    name: 'R28 an op that nobody knows',
    run: (client) => client.create([{ name: 'n', op: 'Foo' }]),
    code: 5,
    says: ["Op type not registered 'Foo'"],
  },
  {
    name: 'a node without an attr that its op needs for its inputs',
    run: (client) => client.create([placeholder, { name: 'n', op: 'AddV2', input: ['x', 'x'] }]),
    code: 5,
    says: ["No attr named 'T' in NodeDef"],
  },
  {
    name: 'a node without an attr that no input or output needs',
    run: (client) => client.createAndRun([{ name: 'n', op: 'Const', attr: { dtype: float } }], 'n:0'),
    code: 3,
    says: ["NodeDef missing attr 'value' from Op<name=Const"],
  },
  {
    name: 'R36 an unknown fetch',
    run: async (client) => client.step(await client.session([constant('c')]), ['nope:0']),
    code: 5,
    says: ['nope', 'not found'],
  },
  {
    name: 'R36 an unknown feed',
    run: async (client) => client.step(await client.session([constant('c')]), ['c:0'], { feed: ['nope:0'] }),
    code: 5,
    says: ['FeedInputs: unable to find feed output nope:0'],
  },
  {
    name: 'R36 one feed twice',
    run: async (client) => client.step(await client.session([placeholder, twice]), ['twice:0'], { feed: ['x:0', 'x:0'] }),
    code: 3,
    says: ['x:0', 'more than once'],
  },
  {
    name: 'R36 one tensor fed and fetched',
    run: async (client) => client.step(await client.session([placeholder, twice]), ['x:0'], { feed: ['x:0'] }),
    code: 3,
    says: ['x:0', 'is both fed and fetched.'],
  },
  {
    name: 'an unknown target',
    run: async (client) => client.step(await client.session([constant('c')]), [], { target: ['nope'] }),
    code: 5,
    says: ['nope', 'not found'],
  },
  {
    name: 'nothing to do',
    run: async (client) => client.step(await client.session([constant('c')]), []),
    code: 3,
    says: ['Must specify at least one target to fetch or execute.'],
  },
  {
    name: 'R06 a step of an unknown session',
    run: (client) => client.step(unknownHandle, ['c:0']),
    code: 10,
    says: [`Session ${unknownHandle} is not found.`],
  },
  {
    name: 'R06 nodes for an unknown session',
    run: (client) => client.extend(unknownHandle, [constant('c')]),
    code: 10,
    says: [`Session ${unknownHandle} is not found.`],
  },
  {
    name: 'R06 closing an unknown session',
    run: (client) => client.close(unknownHandle),
    code: 10,
    says: [`Session ${unknownHandle} is not found. Possibly, this master has restarted.`],
  },
  {
    name: 'devices of an unknown session',
    run: (client) => client.listDevices(unknownHandle),
    code: 3,
    says: [`Session ${unknownHandle} is not found.`],
  },
  {
    name: 'a graph that grows from another version',
    run: async (client) => client.extend(await client.session([constant('c')]), [constant('d')], 7n),
    code: 10,
    says: ['Current version is 0 but caller expected 7.'],
  },
  {
    name: 'a node that exists already',
    run: async (client) => client.extend(await client.session([constant('c')]), [constant('c')]),
    code: 3,
    says: ["includes node 'c', which was created by a previous call to Create or Extend in this session"],
  },
  {
    name: 'a node name that is not allowed',
    run: (client) => client.create([constant('_c')]),
    code: 3,
    says: ['_c'],
  },
  {
    name: 'an input that does not exist',
    run: (client) => client.create([twice]),
    code: 3,
    says: ["Node 'twice'", "'x'"],
  },
  {
    name: 'R19 a cluster in the config that names the task itself',
    run: (client, address) =>
      client.create([constant('c')], { clusterDef: { job: [{ name: 'local', tasks: { 0: address, 1: '127.0.0.1:9' } }] } }),
    code: 3,
    says: ['is currently not allowed'],
  },
];

const withoutKernel: NodeInit = {
  name: 'n',
  op: 'PyFunc',
  attr: {
    token: { value: { case: 's', value: new TextEncoder().encode('none') } },
    Tin: { value: { case: 'list', value: {} } },
    Tout: { value: { case: 'list', value: { type: [DataType.DT_FLOAT] } } },
  },
};

describe.skipIf(python === undefined).each<TaskEngine>(['tensorflow', 'bundled'])(withTensorFlow('raw calls to a %s master'), (engine) => {
  let cluster: Cluster;
  let client: RawClient;
  const address = () => cluster.addresses['local']?.[0] ?? '';

  beforeAll(async () => {
    cluster = await startCluster({ jobs: { local: 1 }, engine });
    client = new RawClient(cluster.target('local', 0));
  });
  afterAll(async () => {
    client?.end();
    await cluster?.stop();
  });

  it.each(cases)('$name', async ({ run, code, says }) => {
    const answer = await run(client, address());
    for (const part of says) expect(answer).toContain(part);
    expect(answer.slice(0, answer.indexOf(':'))).toBe(String(code));
  });

  // A genuine master refuses such a graph as a whole when the op would run on its own task.
  if (engine !== 'bundled') return;

  it('R28 an op without a kernel fails at the step that needs it, and at no other', async () => {
    const session = await client.session([constant('c'), withoutKernel]);
    const answer = await client.step(session, ['n:0']);
    expect(answer).toMatch(/^5: /);
    expect(answer).toContain("No registered 'PyFunc' OpKernel for 'CPU' devices compatible with node {{node n}}");
    expect(await client.step(session, ['c:0'])).toBe('OK');
  });

  // A genuine server ends its process over such a filter.
  it('R04 a device filter that is no device name', async () => {
    expect(await client.create([constant('c')], { deviceFilters: ['worker0'] })).toMatch(/^3: .*worker0/);
  });
});
