import { notFound } from '#proto/wire/status.ts';
import { findTensorFlow } from './find-tensorflow.ts';
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
  const { libraries, pythons, looked } = await findTensorFlow(options.libtensorflow, env.variables);
  const server = (await firstNative(libraries, options, env, looked)) ?? (await firstPython(pythons, options, env));
  if (!server) {
    throw notFound(
      `No TensorFlow found. Looked for ${looked.join('; ')}. ` +
        'Install it (pip install tensorflow-cpu), or give its path with --libtensorflow, LANFLOW_LIBTENSORFLOW or LANFLOW_PYTHON.',
    );
  }
  env.log(`genuine TensorFlow server: ${server.description}`);
  env.log('warning: it answers on every network interface of this machine, without authentication, until the task ends');
  return server;
}

async function firstNative(
  libraries: readonly string[],
  options: TensorFlowServerOptions,
  env: TensorFlowServerEnv,
  looked: string[],
): Promise<TensorFlowServer | undefined> {
  for (const library of libraries) {
    const { server, reason } = await startNativeServer(library, options);
    if (server) return server;
    env.log(`${library} cannot be used: ${reason}`);
    looked.push(`${library} (${reason})`);
  }
  return undefined;
}

async function firstPython(
  pythons: readonly string[],
  options: TensorFlowServerOptions,
  env: TensorFlowServerEnv,
): Promise<TensorFlowServer | undefined> {
  const [python] = pythons;
  return python === undefined ? undefined : startPythonServer(python, options, env);
}
