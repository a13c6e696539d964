import { emptyDocument } from '#proto/graph-document/document.ts';
import { readDocument } from '#proto/graph-document/read-document.ts';
import { writeDocument } from '#proto/graph-document/write-document.ts';
import type { Calls, Pins, ProgramInfo } from '#proto/ipc/contract.ts';
import { parseDeviceName } from '#proto/wire/device-name.ts';
import { failedPrecondition, invalidArgument } from '#proto/wire/status.ts';
import type { ProgramSource } from '../../program-host/protocol.ts';
import { programs } from '../../programs/index.ts';
import type { Store } from '../../store/index.ts';
import type { ProgramFile } from '../../store/program-files.ts';
import { ownName, programNameFrom } from '../../store/program-name.ts';
import type { HostPrograms } from './host-programs.ts';
import { importProgram } from './import-program.ts';
import { OwnPrograms } from './own-programs.ts';
import { graphDefCopy, portableText, programSource, programText, sampleInfo } from './program-sources.ts';
import { programTemplate } from './program-template.ts';
import { renamed } from './self-contained.ts';

export interface ProgramLibraryEnv {
  readonly store: Pick<Store, 'programFiles' | 'programFacts' | 'pins'>;
  /** The built program host. */
  readonly programHost: string;
  readonly hosted: Pick<HostPrograms, 'list'>;
  /** Folder with the text of each sample, under its name. */
  readonly samples: string;
  readonly onChange: (programs: readonly ProgramInfo[]) => void;
  readonly onPinned: (program: string, pins: Pins) => void;
  readonly log: (line: string) => void;
}

/** The programs that can be run by name: samples and the user's own; and the pins of all. */
export class ProgramLibrary {
  readonly #env: ProgramLibraryEnv;
  readonly #own: OwnPrograms;
  #told = '';

  constructor(env: ProgramLibraryEnv) {
    this.#env = env;
    this.#own = new OwnPrograms({ ...env, onLearnt: () => void this.tell() });
  }

  /** Those of the host application, the samples in the order in which one would teach them, then the user's own by title. */
  async list(): Promise<readonly ProgramInfo[]> {
    const own = [...(await this.#own.list())].sort((a, b) => a.title.localeCompare(b.title));
    return [...this.#env.hosted.list(), ...programs.flatMap(({ name }) => sampleInfo(name) ?? []), ...own];
  }

  /** NOT_FOUND or INVALID_ARGUMENT when there is no such program. */
  source(program: string): ProgramSource {
    return programSource(program, { folder: this.#env.store.programFiles.folder });
  }

  /** The same, for somebody who is going to run it. FAILED_PRECONDITION for one that its user has not let run yet. */
  async sourceToRun(program: string): Promise<ProgramSource> {
    const { title, origin } = (await this.#knownInfo(program)) ?? { title: program, origin: '' };
    if (origin === '') return this.source(program);
    throw failedPrecondition(`'${title}' came from ${origin} and can do everything you can on this computer: let it run first`);
  }

  /** For somebody who wants to see its graph: to load a module is to run it, to load a graph is not. */
  async sourceToLoad(program: string): Promise<ProgramSource> {
    const source = this.source(program);
    return 'module' in source ? this.sourceToRun(program) : source;
  }

  /** Of a program of the user's own, as far as that is known without loading it. */
  async knownTitle(program: string): Promise<string | undefined> {
    return (await this.#knownInfo(program))?.title;
  }

  async trust(program: string): Promise<ProgramInfo> {
    const file = await this.#file(program);
    await this.#own.trust(file);
    await this.tell();
    return this.#own.info(file);
  }

  /** What it wants, as far as that is known without loading a module; undefined for one that is known by its path only. */
  async info(program: string): Promise<ProgramInfo | undefined> {
    const name = ownName(program);
    if (name === undefined) return sampleInfo(program);
    const file = await this.#env.store.programFiles.find(name);
    await this.#own.learn(file);
    return this.#own.info(file);
  }

  read(program: string): Promise<string> {
    return programText(this.source(program), this.#env);
  }

  async create({ kind, title, from }: Calls['programs.create']['argument']): Promise<ProgramInfo> {
    checkTitle(title);
    const name = programNameFrom(title);
    if (kind === 'graph') {
      const document = from === undefined ? emptyDocument(title) : { ...readDocument(await this.read(from)), title };
      return this.#add(name, { title, extension: 'lanflow.json', content: writeDocument(document), isNamed: true });
    }
    if (kind === 'graph-def') {
      if (from === undefined) throw invalidArgument('A GraphDef is not made from nothing: name the one to copy');
      return this.#add(name, { title, ...(await graphDefCopy(this.source(from))), isNamed: true });
    }
    const content =
      from === undefined ? programTemplate({ name, title }) : renamed(await portableText(this.source(from), this.#env), { name, title });
    const isScript = from !== undefined && /\.[cm]?js$/.test(from);
    const origin = from === undefined ? undefined : (await this.#knownInfo(from))?.origin;
    return this.#add(name, { title, extension: isScript ? 'js' : 'ts', content, isNamed: true, ...(origin && { origin }) });
  }

  async import({ name: file, content }: Calls['programs.import']['argument']): Promise<ProgramInfo> {
    const { title, extension } = importProgram(file, content);
    return this.#add(programNameFrom(title), { title, extension, content, isNamed: false, origin: file });
  }

  async write({ program, source }: Calls['programs.write']['argument']): Promise<ProgramInfo> {
    const file = await this.#file(program);
    if (file.kind === 'graph-def') throw failedPrecondition(`'${program}' is a GraphDef, which is not edited as text; import another one`);
    if (file.kind === 'graph') readDocument(source);
    const written = await this.#env.store.programFiles.write(file, source);
    if (file.kind === 'graph') await this.#own.learn(written);
    else this.#own.learnLater(written);
    return this.#own.info(written);
  }

  async rename({ program, title }: Calls['programs.rename']['argument']): Promise<ProgramInfo> {
    checkTitle(title);
    const file = await this.#file(program);
    await this.#own.rename(file, title);
    await this.tell();
    return this.#own.info(file);
  }

  async delete(program: string): Promise<void> {
    const file = await this.#file(program);
    await this.#env.store.programFiles.delete(file);
    await this.#own.forget(file);
    await this.#env.store.pins.update((all) => without(all, program));
    await this.tell();
  }

  async pins(program: string): Promise<Pins> {
    this.source(program);
    return (await this.#env.store.pins.read())[program] ?? {};
  }

  async setPins({ program, pins }: Calls['programs.setPins']['argument']): Promise<Pins> {
    this.source(program);
    for (const [name, device] of Object.entries(pins)) {
      if (parseDeviceName(device)) continue;
      throw invalidArgument(`${name} cannot be pinned to '${device}', which is no device name; an example of one is /job:ps/task:0`);
    }
    await this.#env.store.pins.update((all) => (Object.keys(pins).length === 0 ? without(all, program) : { ...all, [program]: pins }));
    this.#env.onPinned(program, pins);
    return pins;
  }

  async #file(program: string): Promise<ProgramFile> {
    const name = ownName(program);
    if (name !== undefined) return this.#env.store.programFiles.find(name);
    throw failedPrecondition(`'${program}' is not one of your own programs, so it cannot be changed; make a copy of it first`);
  }

  async #knownInfo(program: string): Promise<ProgramInfo | undefined> {
    const name = ownName(program);
    return name === undefined ? undefined : this.#own.info(await this.#env.store.programFiles.find(name));
  }

  async #add(name: string, { title, extension, content, isNamed, origin }: NewProgram): Promise<ProgramInfo> {
    const file = await this.#env.store.programFiles.create(name, extension, content);
    await this.#own.name(file, title, origin);
    await this.#own.learn(file);
    if (isNamed) await this.#own.rename(file, title);
    await this.tell();
    return this.#own.info(file);
  }

  /** Tells the list as it is now; nothing that is already known is told again. */
  async tell(): Promise<void> {
    const list = await this.list();
    const text = JSON.stringify(list);
    if (text === this.#told) return;
    this.#told = text;
    this.#env.onChange(list);
  }
}

interface NewProgram {
  readonly title: string;
  readonly extension: ProgramFile['extension'];
  readonly content: string | Uint8Array;
  /** The user has chosen the title: it counts more than that of the content. */
  readonly isNamed: boolean;
  /** Name of the file that its content came from, unless that is the user's own. */
  readonly origin?: string;
}

function checkTitle(title: string): void {
  if (title.trim() === '') throw invalidArgument('A program needs a title');
}

function without<T>(all: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(all).filter(([each]) => each !== name));
}
