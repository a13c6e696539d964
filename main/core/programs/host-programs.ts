import { stat } from 'node:fs/promises';
import type { ProgramInfo } from '#proto/ipc/contract.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { isGraphPath } from '../../program-host/load-graph.ts';
import type { ProgramSource } from '../../program-host/protocol.ts';
import { describeProgram } from './describe-program.ts';
import { limiter } from './limiter.ts';

/** A program that the host application offers its users. */
export interface HostProgram {
  /** Whole path of a module or a graph. */
  readonly path: string;
  readonly title: string;
}

export interface HostProgramsEnv {
  readonly programs: readonly HostProgram[];
  /** The built program host. */
  readonly programHost: string;
  /** More has become known of a program. */
  readonly onLearnt: () => void;
  readonly log: (line: string) => void;
}

type Wants = Pick<ProgramInfo, 'cluster' | 'virtualGpus' | 'clients'>;

const nothingKnown: Wants = { cluster: {}, virtualGpus: 0, clients: 'one' };
const AT_ONCE = 2;

/** The programs of the application that Lanflow is embedded in. What they want is asked for in the background, once per state of a file. */
export class HostPrograms {
  readonly #env: HostProgramsEnv;
  readonly #inTurn = limiter(AT_ONCE);
  readonly #wants = new Map<string, Wants>();
  readonly #tried = new Map<string, number>();

  constructor(env: HostProgramsEnv) {
    this.#env = env;
  }

  /** In the host's order. */
  list(): readonly ProgramInfo[] {
    for (const program of this.#env.programs) void this.#inTurn(() => this.#learn(program));
    return this.#env.programs.map(({ path, title }) => ({
      name: path,
      title,
      kind: isGraphPath(path) ? 'graph' : 'code',
      origin: '',
      ...(this.#wants.get(path) ?? nothingKnown),
    }));
  }

  titleOf(program: string): string | undefined {
    return this.#env.programs.find(({ path }) => path === program)?.title;
  }

  async #learn({ path }: HostProgram): Promise<void> {
    const { programHost, log, onLearnt } = this.#env;
    try {
      const { mtimeMs } = await stat(path);
      if (this.#tried.get(path) === mtimeMs) return;
      this.#tried.set(path, mtimeMs);
      const { cluster, virtualGpus, clients } = await describeProgram(programHost, sourceOf(path));
      this.#wants.set(path, { cluster, virtualGpus, clients });
      onLearnt();
    } catch (error) {
      // Whoever runs it is told by then.
      log(`${path} of the host application cannot be loaded: ${toStatusError(error).message}`);
    }
  }
}

function sourceOf(path: string): ProgramSource {
  return isGraphPath(path) ? { graph: path } : { module: path };
}
