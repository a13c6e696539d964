import { setImmediate as otherWork } from 'node:timers/promises';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { EventSchema } from '#proto/generated/tensorflow/event_pb.ts';
import type { SeriesColumns } from '#proto/ipc/contract.ts';
import { createMaskedCrc32c } from './crc32c.ts';
import type { ExportRun } from './export-source.ts';
import { seriesLabels } from './series-labels.ts';

const FILE_VERSION = 'brain.Event:2';
const PER_TURN = 2000;
const SECOND_MS = 1000;

/** An event file for a log folder of TensorBoard: one scalar for each sample, as float32, which is all that its plots have. */
export const exportEventFile: ExportRun = async ({ record: { id, startedAt }, series }) => {
  const crc = createMaskedCrc32c();
  const records: Uint8Array[] = [];
  for (const event of events(series.all(), startedAt)) {
    records.push(tfRecord(toBinary(EventSchema, create(EventSchema, event)), crc));
    if (records.length % PER_TURN === 0) await otherWork();
  }
  // TensorBoard takes files with `tfevents` in their names.
  return { name: `events.out.tfevents.${Math.floor(startedAt / SECOND_MS)}.${id}`, content: Buffer.concat(records) };
};

function* events(series: readonly SeriesColumns[], startedAt: number): Generator<MessageInitShape<typeof EventSchema>> {
  yield { wallTime: startedAt / SECOND_MS, what: { case: 'fileVersion', value: FILE_VERSION } };
  const labels = seriesLabels(series);
  for (const [i, { steps, values, times }] of series.entries()) {
    for (const [row, step] of steps.entries()) {
      const value = { tag: labels[i] ?? '', value: { case: 'simpleValue', value: values[row] ?? Number.NaN } } as const;
      yield {
        wallTime: (times[row] ?? startedAt) / SECOND_MS,
        step: BigInt(Math.round(step)),
        what: { case: 'summary', value: { value: [value] } },
      };
    }
  }
}

/** length (uint64) | checksum of the length (uint32) | data | checksum of the data (uint32), all little-endian */
function tfRecord(data: Uint8Array, crc: (bytes: Uint8Array) => number): Uint8Array {
  const record = new Uint8Array(8 + 4 + data.length + 4);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(data.length), true);
  view.setUint32(8, crc(record.subarray(0, 8)), true);
  record.set(data, 12);
  view.setUint32(12 + data.length, crc(data), true);
  return record;
}
