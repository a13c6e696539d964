/** Identifiers that must not be mixed up although they are all texts or 64-bit numbers. */
declare const brand: unique symbol;
type Branded<T, B extends string> = T & { readonly [brand]: B };

/** One client's graph on a cluster: 16 lower-case hex digits chosen by the master. */
export type SessionHandle = Branded<string, 'SessionHandle'>;
/** One RunStep; random with the top 7 bits zero, as TensorFlow's masters make them. */
export type StepId = Branded<bigint, 'StepId'>;
/** A device instance; unsigned 64 bits, never 0, new after every restart. */
export type Incarnation = Branded<bigint, 'Incarnation'>;

/** 64 random bits. `crypto` is the Web Crypto of browsers and Node alike. */
export function random64(): bigint {
  const words = crypto.getRandomValues(new BigUint64Array(1));
  return words[0] ?? 0n;
}

/** Ids for one caller's requests, which receivers refuse when they come twice: consecutive from a random start, signed, never 0. */
export function requestIds(): () => bigint {
  let last = random64();
  return () => {
    last = BigInt.asIntN(64, last + 1n) || 1n;
    return last;
  };
}

export function hex64(value: bigint): string {
  return BigInt.asUintN(64, value).toString(16).padStart(16, '0');
}

export function newSessionHandle(): SessionHandle {
  return hex64(random64()) as SessionHandle;
}

export function newStepId(): StepId {
  return (random64() >> 7n) as StepId;
}

export function newIncarnation(): Incarnation {
  return (random64() || 1n) as Incarnation;
}
