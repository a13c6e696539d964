import { basename } from 'node:path';
import { readDocument } from '#proto/graph-document/read-document.ts';
import type { ProgramInfo } from '#proto/ipc/contract.ts';
import { toStatusError } from '#proto/wire/status.ts';
import type { Description, ProgramSource } from '../../program-host/protocol.ts';
import type { Store } from '../../store/index.ts';
import { isStranger, type LearntProgram, type ProgramFacts, titleOf } from '../../store/program-facts.ts';
import type { ProgramFile } from '../../store/program-files.ts';
import { ownProgram } from '../../store/program-name.ts';
import { describeProgram } from './describe-program.ts';
import { limiter } from './limiter.ts';

export interface OwnProgramsEnv {
  readonly store: Pick<Store, 'programFiles' | 'programFacts'>;
  /** The built program host. */
  readonly programHost: string;
  /** More has become known of a program. */
  readonly onLearnt: () => void;
  readonly log: (line: string) => void;
}

const AT_ONCE = 2;
/** Who is typing saves often. */
const QUIET_MS = 1000;

/** What is known of the user's own programs. What they say of themselves is asked for in the background, once for each state of a file. */
export class OwnPrograms {
  readonly #env: OwnProgramsEnv;
  readonly #inTurn = limiter(AT_ONCE);
  /** By path: the stamp for which it was tried last. */
  readonly #tried = new Map<string, { readonly stamp: string; readonly done: Promise<void> }>();

  readonly #later = new Map<string, NodeJS.Timeout>();

  constructor(env: OwnProgramsEnv) {
    this.#env = env;
  }

  /** A program that cannot be loaded is listed with what was known before. */
  async list(): Promise<readonly ProgramInfo[]> {
    const { programFiles, programFacts } = this.#env.store;
    const [files, facts] = await Promise.all([programFiles.list(), programFacts.read()]);
    return files.map((file) => {
      const isKnown = facts[file.name]?.learnt?.stamp === file.stamp;
      if (!isKnown && !isStranger(file, facts[file.name]) && !this.#later.has(file.path)) void this.learn(file);
      return infoOf(file, facts[file.name]);
    });
  }

  /** As it is known now. */
  async info(file: ProgramFile): Promise<ProgramInfo> {
    const facts = await this.#env.store.programFacts.read();
    return infoOf(file, facts[file.name]);
  }

  /** Resolves when the program has been asked what it is, whether or not it could tell. */
  learn(file: ProgramFile): Promise<void> {
    const tried = this.#tried.get(file.path);
    if (tried?.stamp === file.stamp) return tried.done;
    const done = this.#inTurn(() => this.#ask(file));
    this.#tried.set(file.path, { stamp: file.stamp, done });
    return done;
  }

  /** The same, once nobody has called for a while. */
  learnLater(file: ProgramFile): void {
    clearTimeout(this.#later.get(file.path));
    const timer = setTimeout(() => {
      this.#later.delete(file.path);
      void this.learn(file);
    }, QUIET_MS);
    this.#later.set(file.path, timer.unref());
  }

  /** For want of a title of its own. `origin`: the file that it was made of, if that came from elsewhere. */
  async name(file: ProgramFile, title: string, origin?: string): Promise<void> {
    await this.#change(file.name, () => ({ title, declared: '', ...(origin && { origin }) }));
  }

  /** The user lets its code run. */
  async trust(file: ProgramFile): Promise<void> {
    await this.#change(file.name, ({ origin: _, ...facts } = { title: file.name }) => facts);
    this.#tried.delete(file.path);
    await this.learn(file);
  }

  /** Also instead of the title that it has. */
  async rename(file: ProgramFile, title: string): Promise<void> {
    await this.#change(file.name, (facts) => ({ ...facts, title, declared: facts?.learnt?.title ?? '' }));
  }

  async forget({ name, path }: ProgramFile): Promise<void> {
    this.#tried.delete(path);
    clearTimeout(this.#later.get(path));
    this.#later.delete(path);
    await this.#env.store.programFacts.update((all) => Object.fromEntries(Object.entries(all).filter(([each]) => each !== name)));
  }

  async #ask(file: ProgramFile): Promise<void> {
    const known = await this.#env.store.programFacts.read();
    if (isStranger(file, known[file.name])) return;
    try {
      const said = file.kind === 'graph' ? await this.#readDocument(file) : await describeProgram(this.#env.programHost, sourceOf(file));
      const learnt = learntFrom(file, said);
      await this.#change(file.name, (facts) => ({ title: file.name, declared: '', ...facts, learnt }));
      this.#env.onLearnt();
    } catch (error) {
      // Whoever edits or runs it is told by then; the list goes on with what was known.
      this.#env.log(`${file.path} cannot be loaded: ${toStatusError(error).message}`);
    }
  }

  async #readDocument(file: ProgramFile): Promise<Pick<Description, 'title' | 'cluster' | 'virtualGpus' | 'clients'>> {
    const { title, cluster, virtualGpus } = readDocument(new TextDecoder().decode(await this.#env.store.programFiles.read(file)));
    return { title, cluster, virtualGpus, clients: 'one' };
  }

  async #change(name: string, change: (facts: ProgramFacts | undefined) => ProgramFacts): Promise<void> {
    await this.#env.store.programFacts.update((all) => ({ ...all, [name]: change(all[name]) }));
  }
}

export function sourceOf({ kind, path }: Pick<ProgramFile, 'kind' | 'path'>): ProgramSource {
  return kind === 'code' ? { module: path } : { graph: path };
}

function infoOf(file: ProgramFile, facts: ProgramFacts | undefined): ProgramInfo {
  const { cluster = {}, virtualGpus = 0, clients = 'one' } = facts?.learnt ?? {};
  const name = ownProgram(file.name);
  return { name, title: titleOf(file, facts), kind: file.kind, origin: facts?.origin ?? '', cluster, virtualGpus, clients };
}

/** A program may say anything: only what can be right is kept. */
function learntFrom({ path, stamp }: ProgramFile, said: Pick<Description, 'title' | 'cluster' | 'virtualGpus' | 'clients'>): LearntProgram {
  const tasks = Object.entries(said.cluster).filter(([, count]) => Number.isSafeInteger(count) && count >= 0);
  const isTitle = typeof said.title === 'string' && said.title !== path && said.title !== basename(path);
  return {
    stamp,
    title: isTitle ? said.title.slice(0, 200) : '',
    cluster: Object.fromEntries(tasks),
    virtualGpus: Number.isSafeInteger(said.virtualGpus) && said.virtualGpus >= 0 ? said.virtualGpus : 0,
    clients: said.clients === 'per task' ? 'per task' : 'one',
  };
}
