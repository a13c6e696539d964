const SIGNIFICANT = 6;

/** A measured value as people read it: six figures, tiny and huge ones with an exponent, `NaN` and infinities by name. */
export function formatValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e9) return minus(shortExponent(value.toExponential(3)));
  if (Number.isInteger(value)) return minus(group(value.toFixed(0)));
  const text = value.toPrecision(SIGNIFICANT);
  return minus(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `62 MB`; the units of people (powers of 1000). */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  return `${amount >= 100 || Number.isInteger(amount) ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`;
}

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 4 min`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `14:32`, `1:04:32`: what is left of a time, to the second. */
export function formatCountdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${twoDigits(minutes)}` : minutes}:${twoDigits(seconds % 60)}`;
}

function group(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

function shortExponent(text: string): string {
  return text.replace(/\.?0*e\+?/, 'e');
}

/** A minus as wide as the figures. */
function minus(text: string): string {
  return text.replace(/-/g, '−');
}
