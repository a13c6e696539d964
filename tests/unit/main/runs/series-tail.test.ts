import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addBatch, SeriesEncoder } from '../../../../main/runs/series-file.ts';
import { SeriesStore } from '../../../../main/runs/series-store.ts';
import { SeriesTail } from '../../../../main/runs/series-tail.ts';

describe('a series file that another process writes', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-runs-'));
    path = join(folder, 'series.arrow');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const samplesIn = async (tail: SeriesTail): Promise<readonly (readonly [string, number])[]> => {
    const store = new SeriesStore();
    for await (const batch of tail.batches()) addBatch(batch, store);
    return store.all().flatMap(({ client, name, values }) => [...values].map((value) => [`${client} ${name}`, value] as const));
  };

  it('gives each sample once, whichever way the bytes come', async () => {
    const encoder = new SeriesEncoder();
    const tail = new SeriesTail(path);
    expect(await samplesIn(tail)).toEqual([]);
    const parts: Uint8Array[] = [];
    for (let batch = 0; batch < 6; batch++) {
      // New names in later batches, and none.
      for (const name of ['loss', `only in ${batch}`]) encoder.add('client', name, { step: batch, value: batch, time: 1 });
      parts.push(encoder.takeBatch());
    }
    parts.push(encoder.finish());
    const bytes = Buffer.concat(parts);
    await writeFile(path, '');
    const seen: (readonly [string, number])[] = [];
    for (let at = 0; at < bytes.length; at += 97) {
      await appendFile(path, bytes.subarray(at, at + 97));
      seen.push(...(await samplesIn(tail)));
    }
    const wanted = [0, 1, 2, 3, 4, 5].flatMap((batch) => [['client loss', batch] as const, [`client only in ${batch}`, batch] as const]);
    expect(seen).toEqual(wanted);
    expect(await samplesIn(tail)).toEqual([]);
  });

  it('gives all at once of a file that is whole', async () => {
    const encoder = new SeriesEncoder();
    for (let step = 0; step < 3; step++) encoder.add('client', 'x', { step, value: step, time: 1 });
    await writeFile(path, Buffer.concat([encoder.takeBatch(), encoder.finish()]));
    expect(await samplesIn(new SeriesTail(path))).toEqual([0, 1, 2].map((value) => ['client x', value]));
  });
});
