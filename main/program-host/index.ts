/**
 * A program's process: loads one program and answers its parent's requests (see `protocol.ts`). It ends with its parent, so
 * an endless loop or a crash in a user's program harms nobody else.
 */
import { cancelled, toStatusError, unimplemented } from '#proto/wire/status.ts';
import type { Outcome, Program } from '../client/index.ts';
import { createContext } from './context.ts';
import { loadProgram } from './load-program.ts';
import type { Answers, Description, FromHost, Request, ToHost } from './protocol.ts';

const stopping = new AbortController();
let program: Promise<Program> | undefined;

function tell(message: FromHost): void {
  process.send?.(message);
}

function describe({ name, title, cluster, virtualGpus = 0, task }: Program): Description {
  return { name, title, cluster, virtualGpus, clients: task ? 'per task' : 'one' };
}

async function run(loaded: Program, { client, cluster }: Extract<Request, { kind: 'run' }>): Promise<Outcome> {
  const context = createContext(cluster, (event) => tell({ kind: 'event', event }), stopping.signal);
  try {
    if (client !== 'only' && loaded.task) return await loaded.task({ ...context, ...client });
    if (client === 'only' && loaded.run) return await loaded.run(context);
    throw unimplemented(`Program '${loaded.name}' has ${loaded.run ? 'one client' : 'one client per task'}`);
  } finally {
    await context.close();
  }
}

async function answer(request: Request): Promise<Answers[keyof Answers]> {
  const loaded = await program;
  if (!loaded) throw unimplemented('No program was loaded');
  if (request.kind === 'describe') return describe(loaded);
  if (request.kind === 'run') return run(loaded, request);
  return loaded.check?.(request.outcomes) ?? [];
}

process.setSourceMapsEnabled(true);
process.on('disconnect', () => process.exit(1));
// A terminal sends Ctrl-C to every process of its group; the parent decides what becomes of this one.
process.on('SIGINT', () => {});
process.on('message', (message: ToHost) => {
  if (message.kind === 'load') {
    program = loadProgram(message.source);
    // Whoever asks the first question gets the error.
    program.catch(() => {});
  } else if (message.kind === 'stop') {
    stopping.abort(cancelled('The run was stopped'));
  } else {
    const { id, request } = message;
    answer(request).then(
      (value) => tell({ kind: 'result', id, value }),
      (error: unknown) => {
        const { code, message: text } = toStatusError(error);
        tell({ kind: 'failure', id, code, message: text });
      },
    );
  }
});
