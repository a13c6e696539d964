import { describe, expect, it } from 'vitest';
import { ONLY_CLIENT, type Outcome, type Outcomes } from '../../../../main/client/index.ts';
import { programs } from '../../../../main/programs/index.ts';

/** Outcomes by client. */
type Clients = Readonly<Record<string, Outcome>>;

interface Case {
  readonly right: readonly Clients[];
  /** Each is laid over the first right one. */
  readonly wrong: readonly Clients[];
}

const only = (outcome: Outcome): Clients => ({ [ONLY_CLIENT]: outcome });
const task = (job: string, index: number): string => `/job:${job}/replica:0/task:${index}`;
const device = (job: string, index: number, name = 'CPU:0'): string => `${task(job, index)}/device:${name}`;

const line: Outcome = { weight: 0.1, bias: 0.3 };
const wrongLine: readonly Outcome[] = [{ weight: 0.2 }, { bias: 0 }, { weight: Number.NaN }];

/** One client: its right outcome, and what makes it wrong. */
function single(right: Outcome, ...wrong: readonly Outcome[]): Case {
  return { right: [only(right)], wrong: wrong.map(only) };
}

const [local0, local1] = [device('local', 0), device('local', 1)];
/** Of another job, on a larger cluster whose first task has a card. */
const elsewhere = device('A', 0, 'GPU:0');
const cards = [device('local', 0, 'GPU:0'), device('local', 0, 'GPU:1')];
const localCard = device('localhost', 0, 'GPU:0');
const product = { sum: '[[7,7],[7,7]]', product: '[[10,10],[10,10]]' };
const rounds = Array.from({ length: 5 }, () => '[[[7,7],[7,7]],[[10,10],[10,10]]]');
const allTasks = [device('canshu', 0), device('canshu', 1), device('gongzuo', 0), device('gongzuo', 1)];
const race = { syncParameter: 0.97, syncUpdates: 15, asyncParameter: 0.9, asyncUpdates: 90, fastStaleness: 1, stragglerStaleness: 7 };

const cases: Readonly<Record<string, Case>> = {
  'hello-local-server': single({ text: 'Hello, Distributed TensorFlow!' }, { text: 'Hello' }),
  'local-server-regression': single(line, ...wrongLine),
  'local-sessions': single({ initial: [0, 0], final: [1, 2] }, { final: [3, 3] }, { initial: [0, 1] }),
  'shared-variable': {
    right: [
      only({ initial: [0, 0], final: [1, 1], placed: local0 }),
      only({ initial: [0, 0], final: [1, 0], placed: local1 }),
      only({ initial: [0, 0], final: [1, 1], placed: elsewhere }),
    ],
    wrong: [
      only({ final: [1, 0] }),
      only({ placed: local1 }),
      only({ final: [1, 0], placed: elsewhere }),
      only({ placed: '' }),
      only({ initial: [1, 1] }),
    ],
  },
  'location-trace': {
    right: [
      only({ placed: [local0, local0, local0], pinned: [local0, local1, local1, local0] }),
      only({ placed: [local0, local0, local1], pinned: [local0, local1, local1, local0] }),
      only({ placed: [elsewhere, elsewhere, elsewhere], pinned: [local0, local1, local1, local0] }),
    ],
    wrong: [
      only({ placed: [local1, local1, local1] }),
      only({ placed: [elsewhere, elsewhere, local1] }),
      only({ placed: ['', '', ''] }),
      only({ pinned: [local0, local0, local0, local0] }),
      only({ pinned: [] }),
    ],
  },
  'separate-graphs': {
    right: [only({ seen: '1', placed: local0 }), only({ seen: 'no value', placed: local1 }), only({ seen: '1', placed: elsewhere })],
    wrong: [
      only({ seen: 'no value' }),
      only({ placed: local1 }),
      only({ seen: 'no value', placed: elsewhere }),
      only({ placed: '' }),
      only({ seen: '0' }),
    ],
  },
  'wait-for-initialization': {
    right: [{ [task('local', 0)]: { value: 5 }, [task('local', 1)]: { missingAtFirst: ['var'], missingAtLast: [] } }],
    wrong: [
      { [task('local', 0)]: { value: 0 } },
      { [task('local', 1)]: { missingAtFirst: [] } },
      { [task('local', 1)]: { missingAtLast: ['var'] } },
    ],
  },
  'ps-workers': {
    right: [{ [task('ps', 0)]: { finalValue: 10 }, [task('worker', 0)]: { additions: 5 }, [task('worker', 1)]: { additions: 5 } }],
    wrong: [{ [task('ps', 0)]: { finalValue: 9 } }, { [task('worker', 1)]: { additions: 4 } }],
  },
  'in-graph-regression': single({ ...line, devices: allTasks }, ...wrongLine, { devices: allTasks.slice(1) }),
  'single-machine-single-card': single(
    { ...product, computedOn: [localCard, localCard] },
    { sum: '[[7,7],[7,8]]' },
    { product: '' },
    { computedOn: [localCard, device('localhost', 0)] },
  ),
  'single-machine-multi-card': single(
    { results: rounds, computedOn: cards },
    { results: rounds.slice(1) },
    { computedOn: [cards[0] ?? '', cards[0] ?? ''] },
  ),
  'gradient-averaging': single({ ...line, largestGap: 1e-8 }, ...wrongLine, { largestGap: 0.01 }, { largestGap: Number.NaN }),
  'parameter-averaging': single(
    { ...line, firstDrift: 0.1, lastDrift: 1e-6 },
    ...wrongLine,
    { lastDrift: 0.1 },
    { firstDrift: 0, lastDrift: 0 },
  ),
  'sync-and-async-updates': single(
    { fresh: 0.96, stale: 1.6, syncStaleness: 0, ...race },
    { fresh: 1.6 },
    { stale: 0.96 },
    { syncStaleness: 1 },
    { syncParameter: 0.5 },
    { asyncParameter: 2 },
    { asyncUpdates: 15 },
    { stragglerStaleness: 1 },
  ),
  'ps-synchronisation': single(
    { ...line, bytesAtPs: 48, bytesBetweenWorkers: 0 },
    ...wrongLine,
    { bytesBetweenWorkers: 4 },
    { bytesAtPs: 0 },
  ),
  'peer-synchronisation': single(
    { ...line, largestGap: 0, mostBytes: 32, fewestBytes: 32 },
    ...wrongLine,
    { largestGap: 1e-9 },
    { mostBytes: 64 },
    { fewestBytes: 0 },
  ),
  'model-parallel': single(
    { loss: 0.0004, parts: [device('worker', 0), device('worker', 1), device('worker', 2)] },
    { loss: 0.01 },
    { loss: Number.NaN },
    { parts: [device('worker', 0), device('worker', 0), device('worker', 0)] },
  ),
  'in-graph-and-between-graph': single(
    { weights: [0.1, 0.1], biases: [0.3, 0.3], inGraphBytes: 8048, betweenGraphBytes: 40 },
    { weights: [0.1, 0.2] },
    { biases: [0, 0.3] },
    { inGraphBytes: 40 },
    { betweenGraphBytes: 0 },
    { betweenGraphBytes: 700 },
  ),
  'mixed-replication': {
    right: [{ [task('ps', 0)]: { ...line, updates: 600 } }],
    wrong: [...wrongLine, { updates: 599 }].map((outcome) => ({ [task('ps', 0)]: outcome })),
  },
  'abc-workers-d-ps': {
    right: [
      {
        [task('ps', 0)]: { total: 333 },
        ...Object.fromEntries([0, 1, 2].map((index) => [task('worker', index), { madeOn: device('worker', index) }])),
      },
    ],
    wrong: [{ [task('ps', 0)]: { total: 332 } }, { [task('worker', 2)]: { madeOn: device('ps', 0) } }],
  },
  'cards-and-machines': single(
    { bytesTogether: 0, bytesApart: 131080, largestGap: 0, speedTogether: 80, speedApart: 30 },
    { bytesTogether: 4 },
    { bytesApart: 0 },
    { largestGap: 0.1 },
    { speedTogether: 0 },
    { speedApart: Number.NaN },
  ),
};

const outcomesOf = (clients: Clients): Outcomes => new Map(Object.entries(clients));

function overlay(right: Clients, wrong: Clients): Clients {
  const changed = Object.entries(wrong).map(([client, outcome]): [string, Outcome] => [client, { ...right[client], ...outcome }]);
  return { ...right, ...Object.fromEntries(changed) };
}

describe.each(programs)('the check of $name', ({ name, check }) => {
  const { right: [first = {}, ...others] = [], wrong = [] } = cases[name] ?? {};

  it('accepts the right result', () => {
    for (const right of [first, ...others]) expect(check?.(outcomesOf(right))).toEqual([]);
  });

  it('reports a result that is missing', () => {
    expect(check?.(new Map())).not.toEqual([]);
  });

  it.each(wrong.map((change) => ({ change, text: JSON.stringify(change) })))('reports $text', ({ change }) => {
    expect(check?.(outcomesOf(overlay(first, change)))).not.toEqual([]);
  });
});
