/**
 * Element types of tensors under TensorFlow's own names (`float` is 32 bits wide, `double` 64), with their number on the
 * wire and the typed array that holds their elements.
 */
export const dtypes = {
  float: { number: 1, size: 4 },
  double: { number: 2, size: 8 },
  int32: { number: 3, size: 4 },
  uint8: { number: 4, size: 1 },
  int16: { number: 5, size: 2 },
  int8: { number: 6, size: 1 },
  string: { number: 7, size: 0 },
  complex64: { number: 8, size: 8 },
  int64: { number: 9, size: 8 },
  bool: { number: 10, size: 1 },
  qint8: { number: 11, size: 1 },
  quint8: { number: 12, size: 1 },
  qint32: { number: 13, size: 4 },
  bfloat16: { number: 14, size: 2 },
  qint16: { number: 15, size: 2 },
  quint16: { number: 16, size: 2 },
  uint16: { number: 17, size: 2 },
  complex128: { number: 18, size: 16 },
  half: { number: 19, size: 2 },
  resource: { number: 20, size: 0 },
  variant: { number: 21, size: 0 },
  uint32: { number: 22, size: 4 },
  uint64: { number: 23, size: 8 },
} as const satisfies Record<string, { number: number; size: number }>;

export type DType = keyof typeof dtypes;

/** Offset between a type and the reference to a variable of that type, in numbers and in texts (`float_ref`). */
const REF_OFFSET = 100;

const byNumber = new Map<number, DType>(Object.entries(dtypes).map(([name, info]) => [info.number, name as DType]));

/** Bytes of one element; 0 for string, resource and variant, whose elements have no fixed size. */
export function dtypeSize(dtype: DType): number {
  return dtypes[dtype].size;
}

export function dtypeNumber(dtype: DType): number {
  return dtypes[dtype].number;
}

/** The type behind a wire number, reference types as their base; undefined for numbers that Lanflow does not know. */
export function dtypeFromNumber(value: number): DType | undefined {
  return byNumber.get(value > REF_OFFSET ? value - REF_OFFSET : value);
}

export function isRefNumber(value: number): boolean {
  return value > REF_OFFSET;
}

/** Spellings that Python users know (`float32`) and our own names, as our name. */
const aliases: Readonly<Record<string, DType>> = { float32: 'float', float64: 'double', float16: 'half' };

export function parseDType(name: string): DType | undefined {
  if (Object.hasOwn(dtypes, name)) return name as DType;
  return aliases[name];
}
