import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { LoggingRequestSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { zeros } from '#proto/wire/tensor.ts';
import { TransferLog } from '../../../../task-server/worker/transfer-log.ts';

const FROM = '/job:ps/replica:0/task:0/device:CPU:0';
const TO = '/job:w/replica:0/task:0/device:CPU:0';
const key = `${FROM};00000000000000aa;${TO};edge_12_W/read;0:0`;

function request(fields: MessageInitShape<typeof LoggingRequestSchema>) {
  return create(LoggingRequestSchema, fields);
}

function logThatIsOn(): TransferLog {
  const log = new TransferLog();
  log.serve(request({ enableRpcLogging: true }));
  return log;
}

function record(log: TransferLog, stepId: bigint, elements: number, sendStartMicros = 1000n): void {
  const tensor = zeros('uint8', [elements]);
  log.record(stepId, key, { tensor, isDead: false, sendStartMicros, requestedMicros: 1000n, repliedMicros: 2000n });
}

function entry(log: TransferLog, stepId: bigint) {
  return log.serve(request({ fetchStepId: [stepId] })).step[0]?.stepStats?.devStats[0]?.nodeStats[0];
}

it.each([
  { bytes: 123, label: `[123B] [0.984000Mb/s] edge_12_W/read from ${FROM} to ${TO}` },
  { bytes: 2 * 1024 * 1024, label: `[2.0MB] [16.8Gb/s] edge_12_W/read from ${FROM} to ${TO}` },
])('labels $bytes bytes in a millisecond as TensorFlow does', ({ bytes, label }) => {
  const log = logThatIsOn();
  record(log, 1n, bytes);
  expect(entry(log, 1n)).toMatchObject({ nodeName: 'RecvTensor', timelineLabel: label, allStartMicros: 1000n, allEndRelMicros: 1000n });
});

it.each([
  { sent: 5n, start: 1000n },
  { sent: 1500n, start: 1500n },
  { sent: 9_999_999n, start: 1999n },
])('believes the sender clock only within the call: $sent → $start', ({ sent, start }) => {
  const log = logThatIsOn();
  record(log, 1n, 4, sent);
  expect(entry(log, 1n)?.allStartMicros).toBe(start);
});

it('hands out a step once', () => {
  const log = logThatIsOn();
  record(log, 1n, 4);
  expect(entry(log, 1n)).toBeDefined();
  expect(entry(log, 1n)).toBeUndefined();
});

it('stays on until the last of several masters switches it off', () => {
  const log = logThatIsOn();
  log.serve(request({ enableRpcLogging: true }));
  log.serve(request({ disableRpcLogging: true }));
  expect(log.enabled).toBe(true);
  log.serve(request({ disableRpcLogging: true }));
  expect(log.enabled).toBe(false);
});

it('drops everything when more steps than its limit are never fetched', () => {
  const log = logThatIsOn();
  for (let step = 1n; step <= 1025n; step++) record(log, step, 1);
  expect(entry(log, 1n)).toBeUndefined();
  expect(entry(log, 1025n)).toBeDefined();
});

it('forgets all steps on clear', () => {
  const log = logThatIsOn();
  record(log, 1n, 4);
  log.serve(request({ clear: true }));
  expect(entry(log, 1n)).toBeUndefined();
});
