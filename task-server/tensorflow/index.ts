import { notFound } from '#proto/wire/status.ts';
import { findEnvOf, TensorFlowFinder, type TensorFlowPlace } from './find/tensorflow-finder.ts';
import { startNativeServer } from './native-server.ts';
import { startPythonServer } from './python-server.ts';
import type { TensorFlowServer, TensorFlowServerEnv, TensorFlowServerOptions } from './tensorflow-server.ts';

export type { TensorFlowServer, TensorFlowServerEnv, TensorFlowServerOptions } from './tensorflow-server.ts';

/**
 * Hosts a genuine TensorFlow server as this task: inside this process where a libtensorflow can be loaded, else in a Python
 * child. Rejects with TensorFlow's own StatusError when the server refuses to start, and with NOT_FOUND, saying what was
 * looked for and where, when there is no TensorFlow.
 */
export async function startTensorFlowServer(options: TensorFlowServerOptions, env: TensorFlowServerEnv): Promise<TensorFlowServer> {
  const looked: string[] = [];
  const finder = new TensorFlowFinder(findEnvOf(env.variables));
  for await (const place of finder.places(looked, options.libtensorflow)) {
    const server = await startAt(place, options, { ...env, looked });
    if (!server) continue;
    env.log(`genuine TensorFlow server: ${server.description}`);
    env.log('warning: it answers on every network interface of this machine, without authentication, until the task ends');
    return server;
  }
  throw notFound(
    `No TensorFlow found. Looked for ${looked.join('; ')}. ` +
      'Install it (pip install tensorflow-cpu), or give its path with --libtensorflow, LANFLOW_LIBTENSORFLOW or LANFLOW_PYTHON.',
  );
}

/** Undefined when what is there cannot be used. */
async function startAt(
  { library, python }: TensorFlowPlace,
  options: TensorFlowServerOptions,
  { looked, ...env }: TensorFlowServerEnv & { readonly looked: string[] },
): Promise<TensorFlowServer | undefined> {
  if (library !== undefined) {
    const { server, reason } = await startNativeServer(library, options);
    if (server) return server;
    env.log(`${library} cannot be used: ${reason}`);
    looked.push(`${library} (${reason})`);
  }
  return python === undefined ? undefined : startPythonServer(python, options, env);
}
