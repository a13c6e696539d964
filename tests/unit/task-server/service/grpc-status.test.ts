import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { aborted, Code, cancelled, invalidArgument, type StatusError } from '#proto/wire/status.ts';
import { fromGrpcStatus, toGrpcStatus } from '../../../../task-server/service/grpc-status.ts';

function overTheWire(error: StatusError): StatusError {
  const { code, details, metadata } = toGrpcStatus(error);
  return fromGrpcStatus(Object.assign(new Error(details), { code, details, metadata }) as ServiceError);
}

it('keeps code and text', () => {
  expect(overTheWire(invalidArgument('bad\n\t [[{{node a}}]]'))).toMatchObject({
    code: Code.INVALID_ARGUMENT,
    message: 'bad\n\t [[{{node a}}]]',
    derived: false,
  });
});

it('keeps derivedness, the way TensorFlow 2.x marks it', () => {
  expect(overTheWire(aborted('peer failed', { derived: true })).derived).toBe(true);
  expect(overTheWire(cancelled('stop')).derived).toBe(true);
});

it('takes no offence at details of another kind', () => {
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from([0xff, 0xff, 0xff]));
  const error = Object.assign(new Error(), { code: Code.ABORTED, details: 'x', metadata }) as ServiceError;
  expect(fromGrpcStatus(error)).toMatchObject({ code: Code.ABORTED, derived: false });
});

it('takes the end of a connection for what it is, and no other internal error', () => {
  const lost = 'Received RST_STREAM with code 2 triggered by internal client error: Session closed with error code 2';
  const codeFor = (details: string) =>
    fromGrpcStatus(Object.assign(new Error(details), { code: Code.INTERNAL, details }) as ServiceError).code;
  expect(codeFor(lost)).toBe(Code.UNAVAILABLE);
  expect(codeFor('a bug')).toBe(Code.INTERNAL);
});

it('cuts a message that no header can hold, between characters', () => {
  const { details } = toGrpcStatus(invalidArgument('ü'.repeat(5000)));
  expect(Buffer.byteLength(details)).toBeLessThanOrEqual(3072);
  expect(details).toMatch(/^ü+ \.\.\. \[truncated\]$/);
});
