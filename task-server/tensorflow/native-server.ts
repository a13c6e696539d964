import { toBinary } from '@bufbuild/protobuf';
import { ServerDefSchema } from '#proto/generated/tensorflow/tensorflow_server_pb.ts';
import { loadTensorFlow, type TensorFlowLibrary } from './c-api.ts';
import { serverDefOf } from './server-def.ts';
import type { TensorFlowServer, TensorFlowServerOptions } from './tensorflow-server.ts';

/** Longest time that a timer can wait. */
const FOREVER_MS = 2 ** 31 - 1;

/** A server in this process's own memory; `reason` when the library is not fit. Rejects when the server does not start. */
export async function startNativeServer(
  path: string,
  options: TensorFlowServerOptions,
): Promise<{ server?: TensorFlowServer; reason?: string }> {
  let library: TensorFlowLibrary;
  try {
    library = await loadTensorFlow(path);
  } catch (error) {
    return { reason: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
  }
  const { target } = library.startServer(toBinary(ServerDefSchema, serverDefOf(options)));
  // Its threads are unknown to Node: the timer keeps the process from ending and, as its argument, the code from unloading.
  const keepAlive = setInterval((_code: unknown) => {}, FOREVER_MS, library.code);
  return {
    server: {
      target,
      description: `libtensorflow ${library.version} at ${path}`,
      lost: new Promise(() => {}),
      stop: async () => clearInterval(keepAlive),
    },
  };
}
