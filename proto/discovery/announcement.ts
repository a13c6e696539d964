/** What a machine's agent tells the LAN of itself, in the TXT record of its service. None of it is proved: certificates do that. */
export interface Announcement {
  /** Of the machine and user, for ever. */
  readonly machine: string;
  /** Of the agent's process: another one means that it was started again. */
  readonly startId: string;
  /** The host name, for people; several machines may have the same. */
  readonly name: string;
  /** Of the agent and what it runs on. */
  readonly versions: Readonly<Record<string, string>>;
  /** SHA-256 of the agent's certificate, in hex; empty as long as it has none. */
  readonly fingerprint: string;
  /** The lab whose authority it trusts; empty as long as it belongs to none. */
  readonly lab: string;
}

/** Bytes of one string of a TXT record. */
const MAX_STRING = 255;
const MAX_NAME = 63;
const MAX_VALUE = 128;
const MAX_VERSIONS = 8;
const ID = /^[0-9A-Za-z-]{3,40}$/;
const HEX = /^[0-9a-f]{0,64}$/;
const VERSION_KEY = /^v\.([a-z][a-z0-9-]{0,30})$/;

export function encodeAnnouncement({ machine, startId, name, versions, fingerprint, lab }: Announcement): string[] {
  const pairs = [
    ['id', machine],
    ['start', startId],
    ['name', name],
    ['fp', fingerprint],
    ['lab', lab],
    ...Object.entries(versions).map(([key, version]) => [`v.${key}`, version]),
  ];
  return pairs.filter(([, value]) => value !== '').map(([key, value]) => clip(`${key}=${value}`, MAX_STRING));
}

/** What a TXT record says; undefined when it is none of ours. Unknown keys are for later versions, bad values count as missing. */
export function decodeAnnouncement(data: unknown): Announcement | undefined {
  const values = readPairs(data);
  const machine = values.get('id') ?? '';
  const startId = values.get('start') ?? '';
  if (!ID.test(machine) || !ID.test(startId)) return undefined;
  const versions = [...values].flatMap(([key, value]) => {
    const name = VERSION_KEY.exec(key)?.[1];
    return name === undefined ? [] : [[name, printable(value, MAX_VALUE)] as const];
  });
  const hex = (key: string): string => (HEX.test(values.get(key) ?? '') ? (values.get(key) ?? '') : '');
  return {
    machine,
    startId,
    name: printable(values.get('name') ?? '', MAX_NAME) || machine,
    versions: Object.fromEntries(versions.slice(0, MAX_VERSIONS)),
    fingerprint: hex('fp'),
    lab: hex('lab'),
  };
}

/** The first of several with one key counts, as RFC 6763 has it. */
function readPairs(data: unknown): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const each of Array.isArray(data) ? data : [data]) {
    const text = typeof each === 'string' ? each : each instanceof Uint8Array ? new TextDecoder().decode(each) : '';
    const end = text.indexOf('=');
    const key = text.slice(0, Math.max(0, end)).toLowerCase();
    if (key && !pairs.has(key)) pairs.set(key, text.slice(end + 1));
  }
  return pairs;
}

/** Without what could disturb a terminal or turn the text around. */
function printable(text: string, max: number): string {
  return [...text.replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '')].slice(0, max).join('').trim();
}

/** Cut at a character's end. */
function clip(text: string, max: number): string {
  const encoder = new TextEncoder();
  let clipped = text;
  while (encoder.encode(clipped).length > max) clipped = [...clipped].slice(0, -1).join('');
  return clipped;
}
