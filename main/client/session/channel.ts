import { type ChannelOptions, Client, credentials } from '@grpc/grpc-js';
import { Credentials } from '#proto/trust/credentials.ts';
import { type SecureDial, secureDial, speaksPlain } from '#proto/trust/dialler.ts';
import { plaintextOf, type TlsFiles, tlsFilesOf } from '#proto/trust/tls-files.ts';
import { invalidArgument } from '#proto/wire/status.ts';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Messages of any size, straight to the task: a proxy for web pages is no way into a cluster. */
const channelOptions: ChannelOptions = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.enable_http_proxy': 0,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc-node.flow_control_window': 32 * 1024 * 1024,
};

/**
 * A channel to one task, which connects when it is first used. The caller closes it. Tasks on other machines are dialled by TLS when
 * there are files for it, LANFLOW_TLS_… by default. Throws a StatusError that names the file when one cannot be used.
 */
export function openChannel(address: string, files?: TlsFiles): Client {
  const secure = secureDialOf(address, files);
  if (!secure) return new Client(address, credentials.createInsecure(), channelOptions);
  const { secureContext, servername, checkServerIdentity } = secure;
  const tls = credentials.createFromSecureContext(secureContext, { checkServerIdentity });
  return new Client(address, tls, { ...channelOptions, 'grpc.ssl_target_name_override': servername });
}

function secureDialOf(address: string, given: TlsFiles | undefined): SecureDial | undefined {
  // What is on this machine does not depend on files that may be broken.
  if (speaksPlain(address, new Set(plaintextOf(process.env)))) return undefined;
  const files = given ?? tlsFilesOf(process.env);
  return files && secureDial(new Credentials(files, (line) => process.emitWarning(line)));
}

/** `host:port` of a session target. Throws INVALID_ARGUMENT for anything but `grpc://host:port`. */
export function addressOf(target: string): string {
  const address = /^grpc:\/\/(.+)$/.exec(target)?.[1];
  if (address === undefined || !parseAddress(address)) {
    throw invalidArgument(`Session target "${target}" must have the form grpc://HOST:PORT`);
  }
  return address;
}

/** Undefined when the text is not `host:port`; an IPv6 address stands in brackets. */
export function parseAddress(address: string): HostPort | undefined {
  const match = /^(?:\[([^\]/]+)\]|([^/:]+)):(\d{1,5})$/.exec(address);
  const [host, port] = [match?.[1] ?? match?.[2], Number(match?.[3])];
  return host === undefined || port > 65535 ? undefined : { host, port };
}
