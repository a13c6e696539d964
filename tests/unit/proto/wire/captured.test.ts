import { type DescMessage, fromBinary, isMessage, type Message, toBinary } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { describe, expect, it } from 'vitest';
import {
  CloseSessionRequestSchema,
  CloseSessionResponseSchema,
  CreateSessionRequestSchema,
  CreateSessionResponseSchema,
  ExtendSessionRequestSchema,
  ExtendSessionResponseSchema,
  ListDevicesRequestSchema,
  ListDevicesResponseSchema,
  ResetRequestSchema,
  ResetResponseSchema,
  RunStepRequestSchema,
  RunStepResponseSchema,
} from '#proto/generated/tensorflow/master_pb.ts';
import {
  CleanupAllRequestSchema,
  CleanupAllResponseSchema,
  CleanupGraphRequestSchema,
  CleanupGraphResponseSchema,
  CreateWorkerSessionRequestSchema,
  CreateWorkerSessionResponseSchema,
  DeleteWorkerSessionRequestSchema,
  DeleteWorkerSessionResponseSchema,
  GetStatusRequestSchema,
  GetStatusResponseSchema,
  LoggingRequestSchema,
  LoggingResponseSchema,
  RecvTensorRequestSchema,
  RecvTensorResponseSchema,
  RegisterGraphRequestSchema,
  RegisterGraphResponseSchema,
  RunGraphRequestSchema,
  RunGraphResponseSchema,
} from '#proto/generated/tensorflow/worker_pb.ts';
import { formatDeviceName, parseDeviceName } from '#proto/wire/device-name.ts';
import { formatRendezvousKey, parseRendezvousKey } from '#proto/wire/rendezvous-key.ts';
import { fromTensorProto, toTensorProto } from '#proto/wire/tensor-codec.ts';
import { captured } from '../../../support/captured.ts';

const messages: Readonly<Record<string, readonly [DescMessage, DescMessage]>> = {
  'create-session': [CreateSessionRequestSchema, CreateSessionResponseSchema],
  'extend-session': [ExtendSessionRequestSchema, ExtendSessionResponseSchema],
  'run-step': [RunStepRequestSchema, RunStepResponseSchema],
  'close-session': [CloseSessionRequestSchema, CloseSessionResponseSchema],
  'list-devices': [ListDevicesRequestSchema, ListDevicesResponseSchema],
  reset: [ResetRequestSchema, ResetResponseSchema],
  'get-status': [GetStatusRequestSchema, GetStatusResponseSchema],
  'create-worker-session': [CreateWorkerSessionRequestSchema, CreateWorkerSessionResponseSchema],
  'delete-worker-session': [DeleteWorkerSessionRequestSchema, DeleteWorkerSessionResponseSchema],
  'register-graph': [RegisterGraphRequestSchema, RegisterGraphResponseSchema],
  'run-graph': [RunGraphRequestSchema, RunGraphResponseSchema],
  'cleanup-graph': [CleanupGraphRequestSchema, CleanupGraphResponseSchema],
  'cleanup-all': [CleanupAllRequestSchema, CleanupAllResponseSchema],
  'recv-tensor': [RecvTensorRequestSchema, RecvTensorResponseSchema],
  logging: [LoggingRequestSchema, LoggingResponseSchema],
};

/** Field numbers that our .proto files leave out on purpose; the runtime keeps and forwards them unread. */
const leftOut: Readonly<Record<string, readonly number[]>> = {};

describe.each(Object.entries(messages))('%s as TensorFlow sends it', (method, [request, response]) => {
  const calls = captured(method);
  const all = calls.flatMap((call) => [
    { schema: request, bytes: call.request },
    ...(call.response ? [{ schema: response, bytes: call.response }] : []),
  ]);

  it('was captured', () => {
    expect(calls.length).toBeGreaterThan(0);
  });

  it('holds no field that our .proto files lack', () => {
    const found = all.flatMap(({ schema, bytes }) => unknownFields(schema, fromBinary(schema, bytes)));
    expect([...new Set(found)]).toEqual([]);
  });

  it('keeps its meaning, and its bytes but for the order of fields, when it is encoded again', () => {
    for (const { schema, bytes } of all) {
      const message = fromBinary(schema, bytes);
      const again = toBinary(schema, message);
      expect(fromBinary(schema, again)).toEqual(message);
      if (!isEmptyTransfer(message)) expect(sorted(again)).toEqual(sorted(bytes));
    }
  });
});

describe('what is inside captured messages', () => {
  const steps = captured('run-step').map(({ request, response }) => ({
    request: fromBinary(RunStepRequestSchema, request),
    response: fromBinary(RunStepResponseSchema, response ?? new Uint8Array()),
  }));
  const data = (name: string) => {
    const found = steps.flatMap(({ response }) => response.tensor).find((each) => each.name === name);
    return found?.tensor && fromTensorProto(found.tensor).data;
  };

  it('fetched tensors have the values that the client computed', () => {
    expect(data('total:0')).toEqual(new Float32Array([1.5, 1.5]));
    expect(data('joined:0')).toEqual([Buffer.from('xab'), Buffer.from('y\0c')].map((bytes) => new Uint8Array(bytes)));
    expect(data('after:0')).toEqual(new Uint8Array([1]));
    expect(data('more:0')).toEqual(new BigInt64Array([8n, 2n ** 54n + 4n]));
  });

  it('fed tensors are decoded, and encoded to the message that TensorFlow made', () => {
    const feeds = steps.flatMap(({ request }) => request.feed);
    expect(feeds.map(({ name }) => name)).toEqual(expect.arrayContaining(['fed:0', 'fed_words:0']));
    for (const { tensor } of feeds) expect(tensor && toTensorProto(fromTensorProto(tensor))).toEqual(tensor);
  });

  it('the step without a feed failed in the body of its answer', () => {
    const failed = steps.filter(({ response }) => response.statusCode !== 0).map(({ response }) => response);
    expect(failed.map(({ statusCode }) => statusCode)).toEqual([3]);
    expect(failed[0]?.statusErrorMessage).toContain("You must feed a value for placeholder tensor 'fed' with dtype float and shape [2]");
  });

  it('rendezvous keys are parsed and written as they were', () => {
    const keys = captured('recv-tensor').map(({ request }) => fromBinary(RecvTensorRequestSchema, request).rendezvousKey);
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      expect(formatRendezvousKey(parseRendezvousKey(key))).toBe(key);
      expect(parseRendezvousKey(key).sendIncarnation).not.toBe(0n);
    }
  });

  it('device names are parsed and written as they were', () => {
    const devices = captured('register-graph').flatMap(
      ({ request }) => fromBinary(RegisterGraphRequestSchema, request).graphDef?.node ?? [],
    );
    expect(devices.length).toBeGreaterThan(0);
    for (const { device } of devices) expect(formatDeviceName(parseDeviceName(device) ?? {})).toBe(device);
  });

  it('transferred tensors are decoded', () => {
    const values = captured('recv-tensor').flatMap(({ response }) => {
      const { tensor } = response ? fromBinary(RecvTensorResponseSchema, response) : {};
      return tensor ? [fromTensorProto(tensor)] : [];
    });
    expect(values).toContainEqual({
      dtype: 'string',
      shape: [3],
      data: [Buffer.from('ab'), Buffer.from('c'), Buffer.alloc(0)].map((bytes) => new Uint8Array(bytes)),
    });
    expect(values).toContainEqual({ dtype: 'float', shape: [2], data: new Float32Array([1, 2]) });
  });
});

/** `Message.17` for each field of the message, or of one inside it, that the schema does not know. */
function unknownFields(schema: DescMessage, message: Message): string[] {
  const known = leftOut[schema.name] ?? [];
  const own = (message.$unknown ?? []).filter(({ no }) => !known.includes(no)).map(({ no }) => `${schema.name}.${no}`);
  const view = reflect(schema, message);
  for (const field of schema.fields) {
    if (!view.isSet(field)) continue;
    if (field.fieldKind === 'message') own.push(...unknownFields(field.message, view.get(field).message));
    else if (field.fieldKind === 'list' && field.listKind === 'message') {
      for (const item of view.get(field)) own.push(...unknownFields(field.message, (item as { message: Message }).message));
    } else if (field.fieldKind === 'map' && field.mapKind === 'message') {
      for (const [, item] of view.get(field)) own.push(...unknownFields(field.message, (item as { message: Message }).message));
    }
  }
  return own;
}

/** TensorFlow encodes transfers by hand: it writes the zeros and the content of an empty tensor, which say nothing. */
function isEmptyTransfer(message: Message): boolean {
  if (!isMessage(message, RecvTensorResponseSchema) || !message.tensor) return false;
  return fromTensorProto(message.tensor).data.length === 0;
}

function sorted(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes).sort();
}
