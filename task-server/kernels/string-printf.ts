/** What a C `printf` conversion says: `%-12.3e`. */
export interface NumberFormat {
  readonly conversion: 'd' | 'f' | 'e' | 'g' | 's';
  /** `-` left-aligned, `0` zeros instead of blanks, `+` and blank for a sign in front of what is not negative. */
  readonly flag: '' | ' ' | '+' | '-' | '0';
  readonly width: number;
  /** -1: 6 digits. */
  readonly precision: number;
}

const DEFAULT_PRECISION = 6;

/** A number as C prints it. */
export function formatNumber(value: number | bigint, format: NumberFormat): string {
  const negative = value < 0 || Object.is(value, -0);
  const digits = typeof value === 'bigint' ? String(negative ? -value : value) : magnitude(Math.abs(value), format);
  const sign = negative ? '-' : format.flag === '+' || format.flag === ' ' ? format.flag : '';
  const finite = typeof value === 'bigint' || Number.isFinite(value);
  return padded(sign, digits, finite ? format : { ...format, flag: format.flag === '0' ? '' : format.flag });
}

export function formatText(text: string, { flag, width }: NumberFormat): string {
  return padded('', text, { flag: flag === '0' ? '' : flag, width });
}

function padded(sign: string, text: string, { flag, width }: Pick<NumberFormat, 'flag' | 'width'>): string {
  if (flag === '-') return (sign + text).padEnd(width);
  if (flag === '0') return sign + text.padStart(width - sign.length, '0');
  return (sign + text).padStart(width);
}

function magnitude(value: number, { conversion, precision }: NumberFormat): string {
  if (Number.isNaN(value)) return 'nan';
  if (value === Number.POSITIVE_INFINITY) return 'inf';
  const digits = precision < 0 ? DEFAULT_PRECISION : precision;
  if (conversion === 'e') return exponential(value, digits);
  if (conversion === 'g') return shortest(value, Math.max(digits, 1));
  return conversion === 'f' ? fixed(value, digits) : String(value);
}

function exponential(value: number, digits: number): string {
  const [mantissa, exponent = '0'] = value.toExponential(Math.min(digits, 100)).split('e');
  const size = Math.abs(Number(exponent));
  return `${mantissa}e${exponent.startsWith('-') ? '-' : '+'}${String(size).padStart(2, '0')}`;
}

/** JavaScript rounds ties of exact binary values up, C to even; from 1e21 on it does not print all digits either. */
function fixed(value: number, digits: number): string {
  if (value >= 1e21) {
    const whole = String(BigInt(value));
    return digits > 0 ? `${whole}.${'0'.repeat(digits)}` : whole;
  }
  const text = value.toFixed(Math.min(digits, 100));
  const scaled = value * 10 ** digits;
  const isTie = digits <= 15 && scaled < 2 ** 52 && scaled % 1 === 0.5 && scaled / 10 ** digits === value;
  if (!isTie || Math.floor(scaled) % 2 !== 0) return text;
  return (Math.floor(scaled) / 10 ** digits).toFixed(digits);
}

function shortest(value: number, digits: number): string {
  if (value === 0) return '0';
  const scientific = exponential(value, digits - 1);
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  if (exponent >= -4 && exponent < digits) return withoutTrailingZeros(fixed(value, digits - 1 - exponent));
  const [mantissa = '', power = ''] = scientific.split('e');
  return `${withoutTrailingZeros(mantissa)}e${power}`;
}

function withoutTrailingZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
