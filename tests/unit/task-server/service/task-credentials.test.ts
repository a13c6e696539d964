import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Identity } from '#proto/trust/identity.ts';
import { Code } from '#proto/wire/status.ts';
import { createLog } from '../../../../task-server/service/log.ts';
import { taskCredentials } from '../../../../task-server/service/task-credentials.ts';
import { makeTlsLab, type TlsLab, taskIdentity } from '../../../support/tls-lab.ts';

const TASK = '/job:w/replica:0/task:0';
const lines: string[] = [];
const log = createLog({ write: (line) => lines.push(line) });
const machine: Identity = { kind: 'machine', name: 'm1' };
let lab: TlsLab;

beforeAll(async () => {
  lab = await makeTlsLab();
});
afterAll(() => lab.dispose());

it.each([[[taskIdentity('w', 0)]], [[machine]], [[taskIdentity('w', 0), machine]]])(
  '%j is a certificate for the task',
  async (identities) => {
    const files = await lab.issue(identities);
    expect(taskCredentials(TASK, files, { variables: {}, log })?.own).toEqual(identities);
  },
);

it.each([[[taskIdentity('w', 1)]], [[taskIdentity('w', 1), machine]], [[{ kind: 'user', name: 'bo' } as const]]])(
  '%j is not',
  async (identities) => {
    const files = await lab.issue(identities);
    expect(() => taskCredentials(TASK, files, { variables: {}, log })).toThrow(
      expect.objectContaining({ code: Code.INVALID_ARGUMENT, message: expect.stringContaining(`cannot be used by ${TASK}`) }),
    );
  },
);

it('without files there is no TLS, and what the environment has for clients is left to them', () => {
  expect(taskCredentials(TASK, undefined, { variables: {}, log })).toBeUndefined();
  const { cert, key, ca } = lab.user;
  const variables = { LANFLOW_TLS_CERT: cert, LANFLOW_TLS_KEY: key, LANFLOW_TLS_CA: ca };
  expect(taskCredentials(TASK, undefined, { variables, log })).toBeUndefined();
  expect(lines.at(-1)).toContain('no TLS: the certificate');
});
