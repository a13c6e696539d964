import type { CompletionContext, CompletionResult, CompletionSource, Completion as Option } from '@codemirror/autocomplete';
import type { Completion, Completions } from '#proto/ipc/contract.ts';

export type Complete = (source: string, offset: number) => Promise<Completions>;

/** So many are asked for at most: with as many, there may be others, and every letter asks anew. */
const MOST = 200;
/** CodeMirror moves options by at most 99. */
const BOOST = 99;

/** Asks at the beginning of a name, behind a dot or a quote, and whenever the user wants it. */
export function completionSource(complete: Complete): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    if (!context.explicit && !wantsCompletion(context.state.sliceDoc(Math.max(0, context.pos - 100), context.pos))) return null;
    const { from, items } = await complete(context.state.doc.toString(), context.pos);
    if (context.aborted || items.length === 0) return null;
    const options = items.map(optionOf);
    return items.length < MOST ? { from, options, validFor: /^[\w$]*$/ } : { from, options };
  };
}

/** Whether what was just typed is something to complete: a name, but no number and no end of a word. */
export function wantsCompletion(before: string): boolean {
  return /(^|[^\w$])[A-Za-z_$][\w$]*$|[\w$)\]]\??\.$|['"/]$/.test(before) && !/(^|[^\w$])\d[\w.]*$/.test(before);
}

function optionOf({ label, kind, detail, documentation }: Completion, at: number): Option {
  return {
    label,
    type: kind === 'module' ? 'namespace' : kind,
    boost: BOOST / 2 - Math.min(at, BOOST) / 2,
    ...(detail && { detail }),
    ...((detail || documentation) && { info: () => infoOf(detail, documentation) }),
  };
}

function infoOf(detail: string, documentation: string): HTMLElement {
  const info = document.createElement('div');
  for (const [name, text] of Object.entries({ signature: detail, documentation })) {
    if (text === '') continue;
    const part = document.createElement('div');
    part.className = name;
    part.textContent = text;
    info.append(part);
  }
  return info;
}
