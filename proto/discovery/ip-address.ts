/** IP addresses as texts and as bits: which of them are in one subnet. */

export type IpFamily = 'IPv4' | 'IPv6';

export function familyOf(address: string): IpFamily | undefined {
  const bits = toBits(address);
  if (!bits) return undefined;
  return bits.length === 32 ? 'IPv4' : 'IPv6';
}

/** IPv6 `fe80::1%eth0` without its interface. */
export const withoutScope = (address: string): string => address.split('%')[0] ?? address;

export const scopeOf = (address: string): string | undefined => address.split('%')[1];

/** `::ffff:10.0.0.1`, as a socket of both families tells it, is 10.0.0.1. */
export function unmapped(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

export function isLinkLocal(address: string): boolean {
  return inSubnet(address, '169.254.0.0/16') || inSubnet(address, 'fe80::/10');
}

export function isLoopback(address: string): boolean {
  return inSubnet(address, '127.0.0.0/8') || inSubnet(address, '::1/128');
}

/** An address that one machine can have: neither unspecified, multicast nor broadcast. */
export function isUnicast(address: string): boolean {
  if (!toBits(address)) return false;
  return !['0.0.0.0/8', '224.0.0.0/3', '::/128', 'ff00::/8'].some((subnet) => inSubnet(address, subnet));
}

/** Whether an address is in a subnet such as 10.0.0.0/8; the subnet may be given by any address in it. */
export function inSubnet(address: string, cidr: string): boolean {
  const [base = '', length = ''] = cidr.split('/');
  const a = toBits(address);
  const b = toBits(base);
  if (!a || !b || a.length !== b.length || !/^\d+$/.test(length)) return false;
  return a.slice(0, Number(length)) === b.slice(0, Number(length));
}

/** The subnet that `10.0.0.5/24` is in, as `10.0.0.0/24`; one address is a subnet of its own. Undefined for any other text. */
export function subnetOf(cidr: string): string | undefined {
  const [address = '', prefix, ...rest] = cidr.split('/');
  const bits = address.includes('%') ? undefined : toBits(address);
  if (!bits || rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return undefined;
  const length = prefix === undefined ? bits.length : Number(prefix);
  if (length > bits.length) return undefined;
  return `${fromBits(bits.slice(0, length).padEnd(bits.length, '0'))}/${length}`;
}

function fromBits(bits: string): string {
  const numbers = (digits: number): number[] => (bits.match(new RegExp(`.{${digits}}`, 'g')) ?? []).map((each) => Number.parseInt(each, 2));
  if (bits.length === 32) return numbers(8).join('.');
  const groups = numbers(16).map((each) => each.toString(16));
  // One gap is all that may be left out.
  return groups.join(':').replace(/(^|:)0(:0)+(:|$)/, '::');
}

/** A text of 32 or 128 zeros and ones. */
function toBits(address: string): string | undefined {
  const text = withoutScope(address);
  return text.includes(':') ? ipv6Bits(text) : ipv4Bits(text);
}

const binary = (value: number, digits: number): string => value.toString(2).padStart(digits, '0');

function ipv4Bits(text: string): string | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined;
  return parts.map((part) => binary(Number(part), 8)).join('');
}

function ipv6Bits(text: string): string | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map(groupsOf);
  const gap = 8 - head.length - tail.length;
  if (halves.length === 2 ? gap < 1 : gap !== 0) return undefined;
  const groups = [...head, ...Array<string>(halves.length === 2 ? gap : 0).fill('0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.map((group) => binary(Number.parseInt(group, 16), 16)).join('');
}

/** The last group may be written as an IPv4 address. */
function groupsOf(half: string): string[] {
  if (half === '') return [];
  return half.split(':').flatMap((group) => {
    const bits = group.includes('.') ? ipv4Bits(group) : undefined;
    return bits ? [bits.slice(0, 16), bits.slice(16)].map((part) => Number.parseInt(part, 2).toString(16)) : [group];
  });
}
