import type { ChannelOptions, ServerOptions } from '@grpc/grpc-js';

/** Room for a large tensor in flight: with HTTP/2's default of 64 KiB a transfer waits for its receiver all the time. */
const FLOW_CONTROL_WINDOW = 32 * 1024 * 1024;

const anySize = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc-node.flow_control_window': FLOW_CONTROL_WINDOW,
} as const;

/**
 * Options of every channel to another task. Cluster addresses are never reached through a proxy of the environment. Channels
 * share no connection, so that tasks embedded in one process are as separate as in two. No HTTP/2 keepalive from this side:
 * genuine TensorFlow servers hang up on who pings more often than every five minutes (`LivenessProbe` does it with calls).
 */
export const channelOptions: ChannelOptions = {
  ...anySize,
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.dns_min_time_between_resolutions_ms': 1000,
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_channelz': 0,
};

/** Clients do answer keepalive pings; so a client whose machine is gone is noticed and its parked calls end. */
export const serverOptions: ServerOptions = {
  ...anySize,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 30_000,
  'grpc.enable_channelz': 0,
};

/** The form in which grpc-js dials `host:port`. */
export function dialTarget(address: string): string {
  return `dns:${address}`;
}
