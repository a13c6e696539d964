import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppendFile } from '../../../../main/runs/append-file.ts';
import { LogStore } from '../../../../main/runs/log-store.ts';
import { readSeriesFile, SeriesEncoder } from '../../../../main/runs/series-file.ts';
import { SeriesStore } from '../../../../main/runs/series-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lanflow-runs-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('series.arrow', () => {
  const values = [1, Number.NaN, Number.POSITIVE_INFINITY, 1.785e-8, -0];

  async function write(path: string): Promise<SeriesStore> {
    const [store, encoder] = [new SeriesStore(), new SeriesEncoder()];
    const parts: Uint8Array[] = [];
    for (const [step, value] of values.entries()) {
      // New names appear in later batches.
      for (const name of ['loss', `only at ${step}`]) {
        const sample = { step, value, time: 1e12 + step };
        store.add('/job:worker/replica:0/task:0', name, sample);
        encoder.add('/job:worker/replica:0/task:0', name, sample);
      }
      parts.push(encoder.takeBatch());
    }
    parts.push(encoder.takeBatch(), encoder.finish());
    await writeFile(path, Buffer.concat(parts));
    return store;
  }

  it('keeps every sample of every series', async () => {
    const path = join(folder, 'series.arrow');
    const written = await write(path);
    const read = new SeriesStore();
    expect(await readSeriesFile(path, read)).toBe(true);
    expect(read.all()).toEqual(written.all());
    expect(read.infos()).toEqual(written.infos());
  });

  it('has all whole batches when the end is missing', async () => {
    const path = join(folder, 'series.arrow');
    await write(path);
    await truncate(path, (await readFile(path)).length - 40);
    const read = new SeriesStore();
    expect(await readSeriesFile(path, read)).toBe(false);
    expect(read.infos()[0]).toMatchObject({ name: 'loss', points: values.length - 1 });
  });
});

describe('a log', () => {
  const line = (text: string) => ({ time: 1, source: 'client', kind: 'client', text }) as const;

  it('gives pages from any line on, from file and memory, while it grows', async () => {
    const log = new LogStore(join(folder, 'run.ndjson'));
    for (let i = 0; i < 3000; i++) log.append(line(`line ${i} 变量`));
    await log.flush();
    for (let i = 3000; i < 3500; i++) log.append(line(`line ${i} 变量`));
    for (const from of [0, 1, 255, 256, 1999, 2999, 3000, 3499]) {
      const { lines, total } = await log.page(from);
      expect(total).toBe(3500);
      expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: Math.min(2000, 3500 - from) }, (_, i) => from + i));
      expect(lines[0]?.text).toBe(`line ${from} 变量`);
    }
    expect((await log.page(3500)).lines).toEqual([]);
    await log.close();
    const loaded = await LogStore.load(join(folder, 'run.ndjson'));
    expect(await loaded.page(1234)).toEqual(await log.page(1234));
  });

  it('leaves out a last line that is not whole, and cuts what is far too long', async () => {
    const path = join(folder, 'run.ndjson');
    const log = new LogStore(path);
    log.append(line('x'.repeat(50_000)));
    log.append(line('second'));
    await log.close();
    await truncate(path, (await readFile(path)).length - 3);
    const loaded = await LogStore.load(path);
    const { lines, total } = await loaded.page(0);
    expect(total).toBe(1);
    expect(lines[0]?.text).toHaveLength(20_001);
  });

  it('is empty without a file', async () => {
    expect(await (await LogStore.load(join(folder, 'none'))).page(0)).toEqual({ lines: [], total: 0 });
  });
});

describe('a file that grows', () => {
  it('keeps what it cannot write, and writes it once when it can', async () => {
    const file = new AppendFile(join(folder, 'later', 'x'));
    file.append(Buffer.from('one '));
    await expect(file.flush()).rejects.toThrow('ENOENT');
    file.append(Buffer.from('two '));
    await mkdir(join(folder, 'later'));
    await file.flush();
    await Promise.all([file.flush(), file.flush()]);
    file.append(Buffer.from('three'));
    await file.close();
    expect(await readFile(join(folder, 'later', 'x'), 'utf8')).toBe('one two three');
  });
});
