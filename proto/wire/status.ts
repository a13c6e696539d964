/**
 * The one error class of Lanflow. A code is data: the 17 canonical codes of gRPC, which TensorFlow shares. The same code
 * survives every border (kernel → executor → RunGraph → RunStep → client → window); context is added to the message.
 */
export const Code = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

export type CodeName = keyof typeof Code;
export type Code = (typeof Code)[CodeName];

const names = Object.keys(Code) as CodeName[];

/** `INVALID_ARGUMENT` for 3; codes outside the table read as `UNKNOWN`. */
export function codeName(code: number): CodeName {
  return names[code] ?? 'UNKNOWN';
}

export interface StatusOptions {
  cause?: unknown;
  /** True for an error that only follows from another one (a step cancelled because a peer failed). */
  derived?: boolean;
  /** Extra facts for programs, never needed to understand the message. */
  details?: Readonly<Record<string, string>>;
}

export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: Code;
  readonly derived: boolean;
  readonly details: Readonly<Record<string, string>>;

  constructor(code: Code, message: string, options: StatusOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.derived = options.derived ?? false;
    this.details = options.details ?? {};
  }

  get codeName(): CodeName {
    return codeName(this.code);
  }

  /** The same error with another text; code, cause, details and derivedness stay. */
  withMessage(message: string): StatusError {
    return new StatusError(this.code, message, { cause: this.cause, derived: this.derived, details: this.details });
  }
}

const factory =
  (code: Code) =>
  (message: string, options?: StatusOptions): StatusError =>
    new StatusError(code, message, options);

export const cancelled = factory(Code.CANCELLED);
export const unknown = factory(Code.UNKNOWN);
export const invalidArgument = factory(Code.INVALID_ARGUMENT);
export const deadlineExceeded = factory(Code.DEADLINE_EXCEEDED);
export const notFound = factory(Code.NOT_FOUND);
export const alreadyExists = factory(Code.ALREADY_EXISTS);
export const permissionDenied = factory(Code.PERMISSION_DENIED);
export const resourceExhausted = factory(Code.RESOURCE_EXHAUSTED);
export const failedPrecondition = factory(Code.FAILED_PRECONDITION);
export const aborted = factory(Code.ABORTED);
export const outOfRange = factory(Code.OUT_OF_RANGE);
export const unimplemented = factory(Code.UNIMPLEMENTED);
export const internal = factory(Code.INTERNAL);
export const unavailable = factory(Code.UNAVAILABLE);

/** Whatever was thrown, as a StatusError: a bug (any other Error) becomes INTERNAL and keeps its cause. */
export function toStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof Error) return internal(error.message, { cause: error });
  return unknown(String(error), { cause: error });
}

/** A number from the wire as a code; numbers outside the table are UNKNOWN. */
export function toCode(value: number): Code {
  return Code[codeName(value)];
}

/** TensorFlow 1.x masters know a derived error only by this mark in its text. */
export const DERIVED_MARK = '[_Derived_]';

/**
 * Is this error a mere consequence of another? Cancellation always is; peers that lose the status payload are recognised
 * by the mark or by the texts with which a step's rendezvous is torn down.
 */
export function isDerived(error: StatusError): boolean {
  if (error.derived || error.code === Code.CANCELLED || error.message.includes(DERIVED_MARK)) return true;
  return error.code === Code.ABORTED && /Cancelling rendezvous|^Cleanup \d+/m.test(error.message);
}
