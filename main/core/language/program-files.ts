import { posix, sep } from 'node:path';
import type { CompilerOptions, LanguageServiceHost } from 'typescript';
import { NODE_TYPES, PROTOBUF_TYPES } from './ambient-types.ts';
import type { TypeScript } from './typescript-types.ts';

interface ShownText {
  readonly source: string;
  readonly version: number;
}

/** Where the declarations are for TypeScript; on no disk. */
const FOLDER = '/lanflow';
const LIBRARY = 'lib.es2023.d.ts';
const nodeTypes = `${FOLDER}/node.d.ts`;
const protobufTypes = `${FOLDER}/protobuf.d.ts`;

/** The files as the language service sees them: the program as it is typed now, declarations by name, all else as it is on disk. */
export class ProgramFiles {
  readonly host: LanguageServiceHost;
  readonly #ts: TypeScript;
  readonly #texts: Map<string, ShownText>;
  #file = '';
  #version = 0;

  /** `declarations`: texts by name, of TypeScript's libraries and of `client.d.ts`. */
  constructor(ts: TypeScript, declarations: Readonly<Record<string, string>>) {
    this.#ts = ts;
    const known = Object.entries(declarations).map(([name, source]) => [`${FOLDER}/${name}`, source] as const);
    const texts = [...known, [nodeTypes, NODE_TYPES] as const, [protobufTypes, PROTOBUF_TYPES] as const];
    this.#texts = new Map(texts.map(([name, source]) => [name, { source, version: 0 }]));
    this.host = this.#createHost(compilerOptions(ts));
  }

  /** Makes it the program that is asked about; the name by which TypeScript knows it. */
  show(path: string, source: string): string {
    const file = path.replaceAll(sep, '/');
    const before = this.#texts.get(file);
    if (file === this.#file && before?.source === source) return file;
    // Other programs are as they are on disk.
    if (file !== this.#file) this.#texts.delete(this.#file);
    this.#file = file;
    this.#version++;
    this.#texts.set(file, { source, version: this.#version });
    return file;
  }

  #createHost(options: CompilerOptions): LanguageServiceHost {
    const { sys, ScriptSnapshot } = this.#ts;
    const read = (file: string): string | undefined => this.#texts.get(file)?.source ?? sys.readFile(file);
    return {
      getCompilationSettings: () => options,
      getScriptFileNames: () => [nodeTypes, this.#file],
      getScriptVersion: (file) => `${this.#texts.get(file)?.version ?? sys.getModifiedTime?.(file)?.getTime() ?? ''}`,
      getScriptSnapshot: (file) => {
        const text = read(file);
        return text === undefined ? undefined : ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => posix.dirname(this.#file),
      getDefaultLibFileName: () => `${FOLDER}/${LIBRARY}`,
      fileExists: (file) => this.#texts.has(file) || sys.fileExists(file),
      readFile: read,
      directoryExists: (folder) => folder === FOLDER || sys.directoryExists(folder),
      getDirectories: sys.getDirectories,
    };
  }
}

/** As strict as helps somebody who learns; everything that esbuild runs is allowed. */
function compilerOptions(ts: TypeScript): CompilerOptions {
  return {
    target: ts.ScriptTarget.ES2023,
    lib: [LIBRARY],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    moduleDetection: ts.ModuleDetectionKind.Force,
    paths: {
      'lanflow/client': [`${FOLDER}/client.d.ts`],
      '@bufbuild/protobuf': [protobufTypes],
      '@bufbuild/protobuf/codegenv2': [protobufTypes],
    },
    types: [],
    allowJs: true,
    checkJs: true,
    strict: true,
    noImplicitAny: false,
    useUnknownInCatchVariables: false,
    noEmit: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    skipLibCheck: true,
  };
}
