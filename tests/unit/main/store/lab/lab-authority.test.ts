import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRequest } from '#proto/trust/certificate-request.ts';
import type { MachineProof } from '#proto/trust/identity.ts';
import { Lab } from '../../../../../main/store/lab/lab.ts';
import { LabAuthority } from '../../../../../main/store/lab/lab-authority.ts';

const HERE = '00000000000000aa';
const MACHINE = '0123456789abcdef';
const OTHER = 'fedcba9876543210';

let folder: string;
let authority: LabAuthority;
const env = (now = new Date()) => ({ folder, userName: 'zoe', machineId: async () => HERE, warn: () => undefined, now: () => now });
const admit = async (machine: string, proof: MachineProof) => authority.admit(machine, (await makeRequest(machine)).request, proof);
/** Whether each certificate that a machine was given still counts, oldest first. */
const counting = async (machine: string): Promise<readonly boolean[]> =>
  (await (await Lab.open(env())).issued())
    .filter(({ names }) => names.includes(`lanflow:machine:${machine}`))
    .map(({ revokedAt }) => revokedAt === undefined);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lanflow-authority-'));
  authority = new LabAuthority(env());
});
afterEach(() => rm(folder, { recursive: true }));

it('is free to join again unless it is its own', async () => {
  const guests = await mkdtemp(join(tmpdir(), 'lanflow-authority-'));
  const guest = new LabAuthority({ ...env(), folder: guests });
  await guest.checkFree();
  const { key, request } = await makeRequest('bo');
  await guest.join({ ...(await authority.admitUser('bo', request)), key });
  await guest.checkFree();
  await guest.join({ ...(await authority.admitUser('bo', request)), key });
  await expect(authority.checkFree()).rejects.toMatchObject({ codeName: 'ALREADY_EXISTS' });
  await rm(guests, { recursive: true });
});

describe('a machine that is admitted', () => {
  it.each<[MachineProof, readonly boolean[]]>([
    ['pin', [false, true]],
    ['ssh', [false, true]],
    ['link', [true, true]],
    ['local', [true, true]],
  ])('a second time, by %s', async (proof, expected) => {
    await admit(OTHER, 'pin');
    const first = await admit(MACHINE, 'ssh');
    const second = await admit(MACHINE, proof);
    expect(await counting(MACHINE)).toEqual(expected);
    expect(await counting(OTHER)).toEqual([true]);
    expect(second.revocations === first.revocations).toBe(expected.every(Boolean));
    expect((await authority.state()).expelled).toEqual(new Set());
  });

  it.each<MachineProof>(['pin', 'ssh'])('does not get the id of this one by %s', async (proof) => {
    await expect(admit(HERE, proof)).rejects.toMatchObject({
      codeName: 'ALREADY_EXISTS',
      message: expect.stringContaining('machine.json'),
    });
    await admit(HERE, 'local');
    await expect(admit(HERE, proof)).rejects.toMatchObject({ codeName: 'ALREADY_EXISTS' });
    expect(await counting(HERE)).toEqual([true]);
  });

  it.each(['', '0123456789ABCDEF', '0123456789abcdef0', `${MACHINE}\n`, '../../etc/passwd'])('has no id like %j', async (machine) => {
    await expect(authority.admit(machine, '', 'ssh')).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
  });

  it('can come back after it was expelled', async () => {
    await admit(MACHINE, 'pin');
    await authority.expel(MACHINE);
    expect((await authority.state()).expelled).toEqual(new Set([MACHINE]));
    await admit(MACHINE, 'pin');
    expect((await authority.state()).expelled).toEqual(new Set());
  });
});
