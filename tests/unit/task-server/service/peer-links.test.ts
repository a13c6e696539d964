import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Credentials } from '#proto/trust/credentials.ts';
import { secureDial } from '#proto/trust/dialler.ts';
import { unavailable } from '#proto/wire/status.ts';
import { createLog } from '../../../../task-server/service/log.ts';
import { Openings } from '../../../../task-server/service/openings.ts';
import { PeerLinks } from '../../../../task-server/service/peer-links.ts';
import { startServer } from '../../../../task-server/service/server.ts';
import { makeTlsLab, type TlsLab, taskIdentity } from '../../../support/tls-lab.ts';

const log = createLog({ write: () => undefined });
const SERVER = '/job:w/replica:0/task:0';
const DIALLER = '/job:w/replica:0/task:1';
const closers: (() => unknown)[] = [];
let lab: TlsLab;

beforeAll(async () => {
  lab = await makeTlsLab();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => lab.dispose());

it.each([
  ['its own', taskIdentity('w', 1), true],
  ['its machine', { kind: 'machine', name: 'm1' } as const, true],
  ['another task', taskIdentity('w', 2), false],
])('a task that dials with the certificate of %s is called back: %s, %s', async (_, identity, isCalledBack) => {
  const [shown, served] = await Promise.all(
    [identity, taskIdentity('w', 0)].map(async (each) => new Credentials(await lab.issue([each]), () => undefined)),
  );
  if (!shown || !served) throw new Error('no certificates');
  const cluster = [
    { task: SERVER, job: 'w', index: 0, address: '127.0.0.1:0' },
    { task: DIALLER, job: 'w', index: 1, address: '127.0.0.1:1' },
  ];
  const accepting = new PeerLinks({ cluster, ownTask: SERVER, log });
  const server = await startServer({
    listen: '127.0.0.1',
    port: 0,
    openings: new Openings(),
    credentials: served,
    services: [],
    links: accepting,
    log,
  });
  closers.push(() => server.stop(unavailable('test is over')));
  const there = cluster.map((each) => (each.task === SERVER ? { ...each, address: `127.0.0.1:${server.port}` } : each));
  const dialling = new PeerLinks({
    cluster: there,
    ownTask: DIALLER,
    log,
    dialler: { secure: (_address, task) => secureDial(shown, { task }) },
  });
  closers.push(() => dialling.close());
  // The dialler may call, whoever it is.
  await dialling.dial(SERVER);
  expect(dialling.to(SERVER)).toBeDefined();
  // The dialled side has read HELLO by the time that it has answered something behind it.
  await dialling
    .to(SERVER)
    ?.call('Nothing', { pieces: [], size: 0 }, {})
    .response.catch(() => undefined);
  expect(accepting.to(DIALLER) !== undefined).toBe(isCalledBack);
});
