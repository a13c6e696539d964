import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { toBinary } from '@bufbuild/protobuf';
import { ServerDefSchema } from '#proto/generated/tensorflow/tensorflow_server_pb.ts';
import { internal, StatusError, toCode, unavailable } from '#proto/wire/status.ts';
import { serverDefOf } from './server-def.ts';
import type { TensorFlowServer, TensorFlowServerEnv, TensorFlowServerOptions } from './tensorflow-server.ts';

/** Beside this file in the sources, below the bundle in what is shipped. */
const scripts = ['./serve.py', './tensorflow/serve.py'].map((path) => new URL(path, import.meta.url));

/** The first line that serve.py prints. */
type Answer = { readonly target: string; readonly version: string } | { readonly code: number; readonly message: string };

/** A server in a Python child, which ends when this process does. Rejects when the server does not start. */
export async function startPythonServer(
  python: string,
  options: TensorFlowServerOptions,
  env: TensorFlowServerEnv,
): Promise<TensorFlowServer> {
  const serverDef = Buffer.from(toBinary(ServerDefSchema, serverDefOf(options))).toString('base64');
  const child = spawn(python, [scriptPath(), serverDef], { env: { ...env.variables }, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(([code, signal]) =>
    unavailable(`the Python process of the TensorFlow server ended (${signal ?? code})`),
  );
  const answer = await Promise.race([firstLine(child), ended]);
  if (answer instanceof StatusError) throw answer;
  const reply: Answer = JSON.parse(answer);
  if ('code' in reply) throw new StatusError(toCode(reply.code), reply.message);
  return {
    target: reply.target,
    description: `TensorFlow ${reply.version} in Python at ${python}`,
    lost: ended,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function scriptPath(): string {
  const script = scripts.map((url) => fileURLToPath(url)).find((path) => existsSync(path));
  if (script === undefined) throw internal('serve.py, the script that hosts a TensorFlow server, is not where it was installed');
  return script;
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw internal('a child without standard output');
  for await (const line of createInterface({ input: child.stdout })) return line;
  return new Promise(() => {});
}
