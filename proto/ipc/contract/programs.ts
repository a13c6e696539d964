export interface ProgramInfo {
  /** By which calls name it: a sample's name, `own/NAME`, or the whole path of a module. */
  readonly name: string;
  /** One line: what it teaches. */
  readonly title: string;
  readonly kind: 'sample' | 'code' | 'graph' | 'graph-def';
  /** The file that it came from, until its user has let it run; no code of it is run before. Empty for all others. */
  readonly origin: string;
  /** Tasks per job that it wants. */
  readonly cluster: Readonly<Record<string, number>>;
  readonly virtualGpus: number;
  readonly clients: 'one' | 'per task';
}

/** One place of a source text. Lines and columns from 1 on. */
export interface SourceProblem {
  readonly severity: 'error' | 'warning';
  readonly line: number;
  readonly column: number;
  /** On the same or a later line, after the last character. */
  readonly endLine: number;
  readonly endColumn: number;
  readonly text: string;
}

export interface Completions {
  /** Offset of the first character that they replace. */
  readonly from: number;
  readonly items: readonly Completion[];
}

export interface Completion {
  readonly label: string;
  readonly kind: 'function' | 'method' | 'property' | 'variable' | 'class' | 'interface' | 'keyword' | 'module' | 'text';
  /** Its type, or its signature. */
  readonly detail: string;
  readonly documentation: string;
}

/** Devices by node name, or by the name of a scope with a `/` behind it; the longest name counts. */
export type Pins = Readonly<Record<string, string>>;
