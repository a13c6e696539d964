/** What a program finds in Node besides the language itself, as far as programs for a cluster need it. Modules of Node are not looked into. */
export const NODE_TYPES = `
declare module 'node:*';
interface Console {
  /** Prints one line, which appears in the run's log. */
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  table(values: unknown): void;
  time(label?: string): void;
  timeEnd(label?: string): void;
}
declare const console: Console;
interface Timer {
  ref(): this;
  unref(): this;
}
declare function setTimeout(callback: (...values: never[]) => void, milliseconds?: number, ...values: unknown[]): Timer;
declare function setInterval(callback: (...values: never[]) => void, milliseconds?: number, ...values: unknown[]): Timer;
declare function setImmediate(callback: (...values: never[]) => void, ...values: unknown[]): Timer;
declare function clearTimeout(timer: Timer | undefined): void;
declare function clearInterval(timer: Timer | undefined): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T): T;
interface Event {
  readonly type: string;
}
interface EventTarget {
  addEventListener(type: string, listener: (event: Event) => void, options?: { once?: boolean }): void;
  removeEventListener(type: string, listener: (event: Event) => void): void;
}
interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
}
declare const AbortSignal: { timeout(milliseconds: number): AbortSignal; any(signals: AbortSignal[]): AbortSignal; abort(reason?: unknown): AbortSignal };
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
/** Milliseconds since the process began, finer than Date.now(). */
declare const performance: { now(): number };
declare const process: { readonly env: Record<string, string | undefined>; readonly pid: number; readonly platform: string; memoryUsage(): Record<string, number> };
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(encoding?: string);
  decode(bytes?: ArrayBuffer | ArrayBufferView): string;
}
declare class URL {
  constructor(url: string, base?: string | URL);
  href: string;
  pathname: string;
}
interface Buffer extends Uint8Array {
  toString(encoding?: string): string;
}
declare const Buffer: {
  from(content: string | ArrayBuffer | ArrayBufferView | readonly number[], encoding?: string): Buffer;
  alloc(size: number): Buffer;
  concat(parts: readonly Uint8Array[]): Buffer;
  byteLength(text: string): number;
};
interface ImportMeta {
  readonly url: string;
}
`;

/** As much of `@bufbuild/protobuf` as the client library's declarations name: the whole of it takes longer to read than all the rest. */
export const PROTOBUF_TYPES = `
export interface Message<N extends string = string> {
  readonly $typeName: N;
}
export interface GenMessage<M> {
  readonly message?: M;
}
export type MessageInitShape<S> = S extends GenMessage<infer M> ? Init<M> : never;
type Init<T> = T extends Uint8Array
  ? T
  : T extends readonly (infer E)[]
    ? readonly Init<E>[]
    : T extends Message
      ? { [K in keyof T as K extends '$typeName' ? never : K]?: Init<T[K]> }
      : T;
`;
