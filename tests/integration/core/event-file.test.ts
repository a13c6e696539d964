import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { exportRun } from '../../../main/runs/export/index.ts';
import { RunFolder } from '../../../main/runs/run-folder.ts';
import type { RunRecord } from '../../../main/runs/run-record.ts';
import { SeriesStore } from '../../../main/runs/series-store.ts';
import { python, requirePython, withTensorFlow } from '../../support/python.ts';

const script = `
import json, sys
import tensorflow.compat.v1 as tf
events = list(tf.train.summary_iterator(sys.argv[1]))
print(events[0].file_version)
for event in events:
    for value in event.summary.value:
        print(json.dumps([event.wall_time, event.step, value.tag, str(value.simple_value).replace("inf", "Infinity").replace("nan", "NaN")]))
`;

it.skipIf(python === undefined)(withTensorFlow('the event file of a run is read by TensorFlow as it was recorded'), async () => {
  const series = new SeriesStore();
  const values = [0.5, Math.fround(1.785e-8), Number.NaN, Number.NEGATIVE_INFINITY, -1e30];
  for (const [step, value] of values.entries()) series.add('client', 'loss', { step, value, time: 1_700_000_000_500 });
  series.add('client', 'rate', { step: 2 ** 40, value: 7, time: 1_700_000_001_000 });
  const record = { id: 'r1', startedAt: 1_700_000_000_000 } as unknown as RunRecord;
  const folder = await mkdtemp(join(tmpdir(), 'lanflow-events-'));
  try {
    const { name, content } = await exportRun({ record, folder: new RunFolder(folder), series }, { format: 'tensorboard' });
    await writeFile(join(folder, name), content);
    const { stdout } = await promisify(execFile)(requirePython(), ['-c', script, join(folder, name)]);
    const [version, ...events] = stdout.trim().split('\n');
    expect(version).toBe('brain.Event:2');
    expect(events.map((line) => JSON.parse(line)).map(([time, step, tag, value]) => [time, step, tag, Number(value)])).toEqual([
      ...values.map((value, step) => [1_700_000_000.5, step, 'loss', Math.fround(value)]),
      [1_700_000_001, 2 ** 40, 'rate', 7],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
