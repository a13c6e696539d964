import { describe, expect, it } from 'vitest';
import { createMaskedCrc32c } from '../../../../main/runs/export/crc32c.ts';
import { csvRow } from '../../../../main/runs/export/csv.ts';
import { exportRun } from '../../../../main/runs/export/index.ts';
import { RunFolder } from '../../../../main/runs/run-folder.ts';
import type { RunRecord } from '../../../../main/runs/run-record.ts';
import { SeriesStore } from '../../../../main/runs/series-store.ts';
import { Random } from '../../../long/support/random.ts';

const WORKER = '/job:worker/replica:0/task:0';
const record = { id: 'r1', title: 'R', program: 'p', startedAt: 1_700_000_000_000, endedAt: 0, traces: [] } as unknown as RunRecord;

type Row = readonly [client: string, name: string, step: number, value: number];

async function exported(format: 'series.csv' | 'series.json', rows: readonly Row[]): Promise<string> {
  const series = new SeriesStore();
  for (const [client, name, step, value] of rows) series.add(client, name, { step, value, time: 1_700_000_000_500 });
  const { content } = await exportRun({ record, folder: new RunFolder('/nowhere'), series }, { format });
  return Buffer.from(content).toString();
}

/** Any 64 bits as a number: tiny, huge, subnormal, non-finite. */
function anyNumber(random: Random): number {
  const [value = 0] = new Float64Array(random.bytes(8).buffer);
  return random.chance(0.1)
    ? random.pick([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, Math.fround(1.785e-8)])
    : value;
}

describe('series as CSV', () => {
  it('has a row for each step, with empty cells for what is missing', async () => {
    const rows: Row[] = [
      ['client', 'loss', 0, 0.5],
      ['client', 'loss', 2, Number.NaN],
      ['client', 'rate', 1, 1e-7],
      ['client', 'rate', 2, Number.NEGATIVE_INFINITY],
    ];
    expect(await exported('series.csv', rows)).toBe('step,loss,rate\r\n0,0.5,\r\n1,,1e-7\r\n2,NaN,-Infinity\r\n');
  });

  it('names the client where several have a series of one name', async () => {
    const rows: Row[] = [
      [WORKER, 'loss', 0, 1],
      ['client', 'loss', 0, 2],
      ['client', 'a,"b"', 0, 3],
    ];
    expect(await exported('series.csv', rows)).toBe('step,worker_0/loss,client/loss,"a,""b"""\r\n0,1,2,3\r\n');
  });

  it('keeps both samples of a step that occurs twice, and sorts', async () => {
    const rows: Row[] = [3, 1, 3].map((step, i) => ['client', 'x', step, i]);
    expect(await exported('series.csv', rows)).toBe('step,x\r\n1,1\r\n3,0\r\n3,2\r\n');
  });

  it('keeps all digits of any number', async () => {
    const random = new Random(7);
    const numbers = Array.from({ length: 3000 }, () => anyNumber(random));
    const csv = await exported(
      'series.csv',
      numbers.map((value, step): Row => ['client', 'x', step, value]),
    );
    const read = csv
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => Number(line.split(',')[1]));
    expect(read).toEqual(numbers.map((value) => value + 0));
  });

  it.each([
    [['a', 1], 'a,1\r\n'],
    [['a,b', 'say "x"', 'two\nlines', 'cr\r'], '"a,b","say ""x""","two\nlines","cr\r"\r\n'],
  ])('quotes %j', (cells, row) => {
    expect(csvRow(cells)).toBe(row);
  });
});

describe('series as JSON', () => {
  it('is strict, and keeps all digits of any number', async () => {
    const random = new Random(8);
    const numbers = Array.from({ length: 3000 }, () => anyNumber(random));
    const json = await exported(
      'series.json',
      numbers.map((value, step): Row => [WORKER, 'x "quoted"', step, value]),
    );
    const { run, series } = JSON.parse(json);
    expect(run).toMatchObject({ id: 'r1', program: 'p' });
    expect(series[0]).toMatchObject({ client: WORKER, name: 'x "quoted"' });
    expect(series[0].values.map(Number)).toEqual(numbers.map((value) => value + 0));
    expect(
      series[0].values.filter((value: unknown) => typeof value === 'string').every((text: string) => /^(NaN|-?Infinity)$/.test(text)),
    ).toBe(true);
  });
});

describe('series as an event file', () => {
  it('has the checksum of the standard', () => {
    // RFC 3720: 32 bytes of zeros have 0x8a9136aa.
    const masked = ((((0x8a9136aa >>> 15) | (0x8a9136aa << 17)) >>> 0) + 0xa282ead8) >>> 0;
    expect(createMaskedCrc32c()(new Uint8Array(32))).toBe(masked);
  });
});

describe('an export of a trace', () => {
  it('says that there is none, or which to choose', async () => {
    const source = { record, folder: new RunFolder('/nowhere'), series: new SeriesStore() };
    await expect(exportRun(source, { format: 'trace.pb' })).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
    const traces = ['a', 'b'].map((id) => ({ id, name: id, client: '', duration: 0, devices: [], entries: 0 }));
    const two = { ...source, record: { ...record, traces } };
    await expect(exportRun(two, { format: 'nodes.csv' })).rejects.toThrow(/Say which trace: the run has a \(a\), b \(b\)/);
    await expect(exportRun(two, { format: 'trace.json', trace: 'c' })).rejects.toThrow(/no trace 'c'/);
  });
});
