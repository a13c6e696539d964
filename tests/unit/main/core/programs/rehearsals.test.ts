import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unavailable } from '#proto/wire/status.ts';
import { Rehearsals } from '../../../../../main/core/programs/rehearsals.ts';
import type { Rehearsed, RehearseOptions } from '../../../../../main/program-host/rehearse.ts';

describe('Rehearsals', () => {
  let folder: string;
  const asked: RehearseOptions[] = [];
  const program = { name: 'p', title: 'P', cluster: { ps: 1, worker: 2 }, virtualGpus: 0, clients: 'one' } as const;
  let answer: () => Promise<Rehearsed> = async () => ({ program, graphs: [], notes: [] });
  const rehearsals = (): Rehearsals =>
    new Rehearsals({
      programHost: 'host.js',
      rehearse: (options) => {
        asked.push(options);
        return answer();
      },
    });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-rehearsals-'));
    asked.length = 0;
    answer = async () => ({ program, graphs: [], notes: [] });
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('asks once for each program and shape of a cluster, the wanted shape being one of them', async () => {
    const known = rehearsals();
    const first = known.get({ sample: 'p' });
    expect(await known.get({ sample: 'p' })).toBe(await first);
    await known.get({ sample: 'p' }, { worker: [0, 1], ps: [0] });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ entry: 'host.js', source: { sample: 'p' }, cluster: {} });
    await known.get({ sample: 'p' }, { worker: [1, 3], ps: [0] });
    await known.get({ sample: 'p' }, { ps: [0], worker: [3, 1] });
    expect(asked).toHaveLength(2);
    expect(asked[1]?.cluster).toEqual({ ps: { 0: '127.0.0.1:1' }, worker: { 1: '127.0.0.1:1', 3: '127.0.0.1:1' } });
    await known.get({ sample: 'q' });
    expect(asked).toHaveLength(3);
  });

  it('asks again when the file has changed', async () => {
    const module = join(folder, 'p.ts');
    await writeFile(module, 'x');
    const known = rehearsals();
    await known.get({ module });
    await known.get({ module });
    await utimes(module, 1, 1);
    await known.get({ module });
    expect(asked).toHaveLength(2);
    await writeFile(module, 'xy');
    await utimes(module, 1, 1);
    await known.get({ module });
    expect(asked).toHaveLength(3);
  });

  it('does not keep what has failed', async () => {
    const known = rehearsals();
    answer = () => Promise.reject(unavailable('not now'));
    await expect(known.get({ sample: 'p' })).rejects.toThrow('not now');
    answer = async () => ({ program, graphs: [], notes: ['better'] });
    expect((await known.get({ sample: 'p' })).notes).toEqual(['better']);
  });

  it('keeps those that were used last, not all', async () => {
    const known = rehearsals();
    await known.get({ sample: 'often' });
    for (let i = 0; i < 40; i++) {
      await known.get({ sample: `p${i}` });
      await known.get({ sample: 'often' });
    }
    expect(asked).toHaveLength(41);
    await known.get({ sample: 'p0' });
    expect(asked).toHaveLength(42);
  });

  it('cancels those that go on when it is closed', async () => {
    const known = rehearsals();
    answer = () => new Promise((_, reject) => asked.at(-1)?.signal?.addEventListener('abort', () => reject(unavailable('closed'))));
    const waiting = known.get({ sample: 'p' });
    await expect.poll(() => asked.length).toBe(1);
    known.close();
    await expect(waiting).rejects.toThrow('closed');
  });
});
