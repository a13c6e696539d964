/**
 * Memory that threads share, `bytes` of zeros. Throws RangeError when there is not that much.
 *
 * V8 does not count shared memory: nothing would make it collect dead tensors of any size until the machine has no memory
 * left. So each buffer has a companion that V8 does count, of the same size and never touched, which takes no memory for
 * being resizable: the system reserves its pages and gives none. Both die together.
 */
export function sharedMemory(bytes: number): SharedArrayBuffer {
  return counted(new SharedArrayBuffer(bytes));
}

/** The same for a buffer that another thread has made: each thread's collector must know of its own handle. */
export function counted(buffer: SharedArrayBuffer): SharedArrayBuffer {
  if (COMPANION in buffer) return buffer;
  const { byteLength } = buffer;
  return Object.defineProperty(buffer, COMPANION, { value: new ResizableBuffer(byteLength, { maxByteLength: byteLength }) });
}

const COMPANION = Symbol('companion');

/** The type that `ArrayBuffer` has in ES2024, and in every engine that runs this. */
const ResizableBuffer = ArrayBuffer as unknown as new (length: number, options: { maxByteLength: number }) => ArrayBuffer;
