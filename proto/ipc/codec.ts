import { Encoder } from 'cbor-x/index-no-eval';
import { invalidArgument } from '../wire/status.ts';
import type { Frame } from './frames.ts';

/**
 * Frames as bytes (CBOR), the same in the core, in a browser and in Electron. Numbers, texts, null, plain objects, arrays,
 * typed arrays and bigint arrive as they were sent; bytes arrive as Uint8Array. Made without `eval`, which a strict CSP forbids.
 */
export interface FrameCodec {
  encode(frame: Frame): Uint8Array;
  /** Throws INVALID_ARGUMENT for bytes that are no frame. */
  decode(bytes: Uint8Array): Frame;
}

export function createFrameCodec(): FrameCodec {
  const cbor = new Encoder({ useRecords: false, mapsAsObjects: true, tagUint8Array: false });
  return {
    encode: (frame) => cbor.encode(frame),
    decode: (bytes) => {
      const value = decodeValue(cbor, bytes);
      if (isFrame(value)) return value;
      throw invalidArgument('A message between window and core is no frame');
    },
  };
}

function decodeValue(cbor: Encoder, bytes: Uint8Array): unknown {
  try {
    return cbor.decode(bytes);
  } catch (error) {
    throw invalidArgument(`A message between window and core cannot be read: ${String(error)}`, { cause: error });
  }
}

/** Which fields a frame of each kind must have. What is in them is for the receiver to check. */
const fields: Readonly<Record<Frame['kind'], Readonly<Record<string, string>>>> = {
  call: { id: 'number', name: 'string' },
  result: { id: 'number' },
  error: { id: 'number', code: 'number', message: 'string', details: 'object' },
  event: { name: 'string', payload: 'object' },
};

function isFrame(value: unknown): value is Frame {
  if (typeof value !== 'object' || value === null) return false;
  const frame = value as Readonly<Record<string, unknown>>;
  const kind = frame['kind'];
  if (typeof kind !== 'string' || !Object.hasOwn(fields, kind)) return false;
  return Object.entries(fields[kind as Frame['kind']]).every(([field, type]) => typeof frame[field] === type && frame[field] !== null);
}
