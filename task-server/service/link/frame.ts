/**
 * The link: a second way to the worker service of a task, for tasks of our own engine. The same messages as over gRPC, at a
 * fraction of the work per call, over one TCP connection for each pair of tasks, on the port of the one that was dialled, and
 * a second one in the other direction once large messages go there. A task says in the metadata of its answer to GetStatus
 * that it has the link; who asked may then dial.
 *
 * The dialler's first bytes are `MAGIC`, which neither HTTP/2 (`PRI `) nor TLS (0x16) begins with; the other side answers with
 * the same bytes. After that both send frames, each a header of `HEADER_BYTES` and `size` bytes of payload. All numbers are
 * little-endian.
 *
 *     offset  type  field
 *          0  u32   size    bytes of payload in this frame, MAX_PAYLOAD_BYTES at most
 *          4  u32   total   bytes of the whole message, without the name; 0 where there is none
 *          8  u32   call    chosen by whoever makes the call: odd for the dialler, even for the other side
 *         12  u8    kind    one of `Kind`
 *         13  u8    name    bytes of the method's name, which precedes the message: REQUEST and NOTICE only
 *         14  u8    lead    bytes, under 8, that a receiver leaves free before the message so that the elements of a large
 *                           tensor in it are aligned
 *         15  u8    0
 *
 * The dialler's first frame is HELLO, of MAX_HELLO_BYTES at most: its task and its address, so that the other side makes its own calls over the same
 * connection. REQUEST opens a call, RESPONSE or ERROR ends it. NOTICE is a request without an answer. CANCEL withdraws a
 * call, which is still answered. A message that does not fit one frame goes on in MORE frames of its call; frames of other
 * calls may come between. Who stops in the middle of a message says so: the caller with CANCEL, the other side with ERROR.
 * PING is answered with PONG at once.
 *
 * Anything else is a fault of the sender and ends the connection. When a connection ends, so do its calls, both ways.
 */
export const MAGIC: Uint8Array = Uint8Array.of(0xf5, 0x4c, 0x4b, 1);

/** In the metadata of a GetStatus answer: the version of the link that the task has on the port of the answer. */
export const LINK_METADATA_KEY = 'lanflow-link';
export const LINK_VERSION = '1';

export const Kind = {
  /** Message: task name, newline, `host:port` as the dialler's cluster has it. */
  HELLO: 1,
  REQUEST: 2,
  RESPONSE: 3,
  /** Message: code (u8), 1 if derived else 0 (u8), text in UTF-8. */
  ERROR: 4,
  CANCEL: 5,
  NOTICE: 6,
  MORE: 7,
  PING: 8,
  PONG: 9,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

export const HEADER_BYTES = 16;
/** Small enough that a call behind a few such frames is answered at once, large enough that their number costs nothing. */
export const MAX_PAYLOAD_BYTES = 1024 * 1024;
export const MAX_MESSAGE_BYTES = 2 ** 31 - 1;
/** A task's name and its address. */
export const MAX_HELLO_BYTES = 4096;
const ALIGNMENT = 8;

export interface FrameHeader {
  readonly size: number;
  readonly total: number;
  readonly call: number;
  readonly kind: Kind;
  readonly nameSize: number;
  readonly lead: number;
}

export function writeHeader(bytes: Buffer, { size, total, call, kind, nameSize, lead }: FrameHeader): void {
  bytes.writeUInt32LE(size, 0);
  bytes.writeUInt32LE(total, 4);
  bytes.writeUInt32LE(call, 8);
  bytes[12] = kind;
  bytes[13] = nameSize;
  bytes[14] = lead;
  bytes[15] = 0;
}

/** Undefined for bytes that are no header. */
export function readHeader(bytes: Buffer, offset: number): FrameHeader | undefined {
  const size = bytes.readUInt32LE(offset);
  const total = bytes.readUInt32LE(offset + 4);
  const call = bytes.readUInt32LE(offset + 8);
  const kind = bytes[offset + 12] as Kind;
  const nameSize = bytes[offset + 13] as number;
  const lead = bytes[offset + 14] as number;
  const isSound =
    kind >= Kind.HELLO &&
    kind <= Kind.PONG &&
    size <= MAX_PAYLOAD_BYTES &&
    total <= MAX_MESSAGE_BYTES &&
    lead < ALIGNMENT &&
    bytes[offset + 15] === 0 &&
    nameSize > 0 === (kind === Kind.REQUEST || kind === Kind.NOTICE) &&
    (kind === Kind.MORE ? size > 0 && total === 0 : size >= nameSize && size <= nameSize + total && (size > 0 || total === 0));
  return isSound ? { size, total, call, kind, nameSize, lead } : undefined;
}

/** The `lead` that aligns what comes behind `offset` bytes of a message. */
export function leadFor(offset: number): number {
  return (ALIGNMENT - (offset % ALIGNMENT)) % ALIGNMENT;
}
