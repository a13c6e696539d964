import type { Program, SourceFile, Symbol as SymbolOfText, TypeChecker } from 'typescript';
import type { Completion } from '#proto/ipc/contract.ts';
import type { TypeScript } from './typescript-types.ts';

export type SymbolText = Omit<Completion, 'label'>;

const LONGEST = 300;

/** Signature and documentation of symbols. Those of the client library never change and are most of the work, so they are kept. */
export class SymbolDetails {
  readonly #ts: TypeScript;
  readonly #kept = new Map<string, SymbolText>();

  constructor(ts: TypeScript) {
    this.#ts = ts;
  }

  of(symbol: SymbolOfText, at: SourceFile, program: Program): SymbolText {
    const checker = program.getTypeChecker();
    const target = symbol.flags & this.#ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const key = keyOf(target, program);
    const kept = key && this.#kept.get(key);
    if (kept) return kept;
    const documentation = this.#ts.displayPartsToString(target.getDocumentationComment(checker));
    const text = { kind: this.#kindOf(target), detail: detailOf(checker, at, target), documentation };
    if (key) this.#kept.set(key, text);
    return text;
  }

  #kindOf({ flags }: SymbolOfText): Completion['kind'] {
    const { SymbolFlags } = this.#ts;
    if (flags & SymbolFlags.Class) return 'class';
    if (flags & SymbolFlags.Function) return 'function';
    return flags & (SymbolFlags.Interface | SymbolFlags.TypeAlias) ? 'interface' : 'variable';
  }
}

/** Undefined for what may change with the program, or with the type that it is a member of. */
function keyOf({ name, declarations: [declaration] = [] }: SymbolOfText, program: Program): string | undefined {
  const file = declaration?.getSourceFile();
  if (!declaration || !file?.isDeclarationFile || program.isSourceFileDefaultLibrary(file)) return undefined;
  return `${name} ${declaration.pos} ${file.fileName}`;
}

/** Its first signature, and how many more there are; of what cannot be called its type. */
function detailOf(checker: TypeChecker, at: SourceFile, symbol: SymbolOfText): string {
  const type = checker.getTypeOfSymbolAtLocation(symbol, at);
  const [signature, ...others] = type.getCallSignatures();
  const more = others.length > 0 ? ` (+${others.length})` : '';
  const detail = signature ? checker.signatureToString(signature) + more : checker.typeToString(type);
  // That an optional argument may be left out is said by its question mark.
  const short = detail.replace(/(\w\?: [^,()]*?) \| undefined/g, '$1');
  return short.length > LONGEST ? `${short.slice(0, LONGEST - 1)}…` : short;
}
