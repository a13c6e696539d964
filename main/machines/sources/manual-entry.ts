import { isUnicast } from '#proto/discovery/ip-address.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { splitAddress } from './known-host.ts';

/** A machine that the user added by hand, where multicast does not reach it. */
export interface ManualEntry {
  /** Address or name. */
  readonly host: string;
  /** Of its agent; the usual one where none is given. */
  readonly port: number;
}

const NAME = /^(?=.{1,253}$)[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)*\.?$/u;

/** What the user typed. INVALID_ARGUMENT when it can be no machine's address. */
export function parseManualEntry(text: string, usualPort: number): ManualEntry {
  const trimmed = text.trim();
  const { host, port = usualPort } = splitAddress(trimmed) ?? { host: '' };
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host);
  if (isAddress ? isUnicast(host) : NAME.test(host)) return { host, port };
  throw invalidArgument(
    `'${trimmed.slice(0, 100)}' is no machine's address. Give a name or an address, with a port where it is not ${usualPort}: lab-pc, 10.0.0.9 or 10.0.0.9:${usualPort}`,
  );
}
