import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostPrograms } from '../../../../../main/core/programs/host-programs.ts';

/** A program host that says of every module the same, but nothing of one that is called broken. */
const programHost = `
process.on('message', ({ kind, id, source }) => {
  if (kind === 'load' && source.module.includes('broken')) process.exit(1);
  if (kind !== 'request') return;
  process.send({ kind: 'result', id, value: { name: 'x', title: 'own title', cluster: { ps: 1 }, virtualGpus: 2, clients: 'per task' } });
});
process.on('disconnect', () => process.exit(0));
`;

describe('programs of the host application', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-host-programs-'));
    writeFileSync(join(folder, 'host.cjs'), programHost);
    for (const name of ['train.ts', 'broken.ts']) writeFileSync(join(folder, name), '');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are listed at once, with the host’s titles, and learn what they want', async () => {
    const [path, broken] = [join(folder, 'train.ts'), join(folder, 'broken.ts')];
    const log: string[] = [];
    let learnt = 0;
    const programs = new HostPrograms({
      programs: [
        { path, title: 'Train' },
        { path: broken, title: 'Broken' },
        { path: join(folder, 'drawn.lanflow.json'), title: 'Drawn' },
      ],
      programHost: join(folder, 'host.cjs'),
      onLearnt: () => learnt++,
      log: (line) => log.push(line),
    });
    expect(programs.list().map(({ name, title, kind, cluster }) => [name, title, kind, cluster])).toEqual([
      [path, 'Train', 'code', {}],
      [broken, 'Broken', 'code', {}],
      [join(folder, 'drawn.lanflow.json'), 'Drawn', 'graph', {}],
    ]);
    await expect.poll(() => [learnt, log.length], { timeout: 5000 }).toEqual([1, 2]);
    expect(programs.list()[0]).toMatchObject({ title: 'Train', cluster: { ps: 1 }, virtualGpus: 2, clients: 'per task' });
    expect(log.some((line) => line.includes('broken.ts of the host application cannot be loaded'))).toBe(true);
    expect(programs.titleOf(path)).toBe('Train');
    expect(programs.titleOf('ps-workers')).toBeUndefined();
  });
});
