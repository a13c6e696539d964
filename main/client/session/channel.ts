import { type ChannelOptions, Client, credentials } from '@grpc/grpc-js';
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

/** A channel to one task, which connects when it is first used. The caller closes it. */
export function openChannel(address: string): Client {
  return new Client(address, credentials.createInsecure(), channelOptions);
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
