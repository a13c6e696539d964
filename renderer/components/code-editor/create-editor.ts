import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { nextDiagnostic, previousDiagnostic, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { SourceProblem } from '#proto/ipc/contract.ts';
import { type Complete, completionSource } from './completion-source.ts';
import { diagnosticsOf, offsetOf } from './diagnostics.ts';
import { type EditorLanguage, languageExtension } from './editor-language.ts';
import { editorTheme } from './editor-theme.ts';

export interface EditorTexts {
  readonly label: string;
  /** How the keyboard leaves it. */
  readonly keys: string;
  /** What CodeMirror says, by its own words. */
  readonly phrases: Readonly<Record<string, string>>;
}

export interface EditorEnv {
  readonly source: string;
  readonly language: EditorLanguage;
  readonly readonly: boolean;
  readonly texts: EditorTexts;
  /** Never rejects. */
  readonly complete: Complete | undefined;
  onchange(source: string): void;
  onsave(): void;
}

export interface Editor {
  /** Another text takes the place of all; it can be undone. */
  show(source: string): void;
  setProblems(problems: readonly SourceProblem[]): void;
  setTexts(texts: EditorTexts): void;
  /** Puts the cursor there. From 1 on. */
  goTo(line: number, column: number): void;
  dispose(): void;
}

/** Not typed by the user, so nobody needs to hear of it. */
const shown = Annotation.define<true>();

const KEYS_ID = 'keys';

/** A code editor in a shadow root: its style sheets are made by script, which the window's policy allows nowhere else. */
export function createEditor(root: ShadowRoot, env: EditorEnv): Editor {
  const keys = document.createElement('p');
  keys.id = KEYS_ID;
  keys.hidden = true;
  root.append(keys);
  const texts = new Compartment();
  const describe = (next: EditorTexts): Extension => {
    keys.textContent = next.keys;
    const attributes = { tabindex: '0', 'aria-label': next.label, ...(env.readonly ? {} : { 'aria-describedby': KEYS_ID }) };
    return [EditorState.phrases.of(next.phrases), EditorView.contentAttributes.of(attributes)];
  };
  const extensions = [
    ...shared,
    texts.of(describe(env.texts)),
    languageExtension(env.language),
    ...(env.readonly ? reading : writing(env)),
  ];
  const view = new EditorView({ root, parent: root, state: EditorState.create({ doc: env.source, extensions }) });
  return {
    show: (source) => {
      const { doc } = view.state;
      if (doc.toString() === source) return;
      view.dispatch({ changes: { from: 0, to: doc.length, insert: source }, annotations: shown.of(true) });
    },
    setProblems: (problems) => view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state.doc, problems))),
    setTexts: (next) => view.dispatch({ effects: texts.reconfigure(describe(next)) }),
    goTo: (line, column) => {
      view.dispatch({
        selection: { anchor: offsetOf(view.state.doc, line, column) },
        effects: EditorView.scrollIntoView(offsetOf(view.state.doc, line, column), { y: 'center' }),
      });
      view.focus();
    },
    dispose: () => {
      view.destroy();
      keys.remove();
    },
  };
}

const shared: readonly Extension[] = [
  editorTheme,
  lineNumbers(),
  highlightSpecialChars(),
  drawSelection(),
  bracketMatching(),
  highlightSelectionMatches(),
  search({ top: true }),
  EditorState.tabSize.of(2),
  keymap.of([...searchKeymap, ...defaultKeymap]),
];

const reading: readonly Extension[] = [EditorState.readOnly.of(true)];

function writing({ complete, onchange, onsave }: EditorEnv): readonly Extension[] {
  const save = () => {
    onsave();
    return true;
  };
  return [
    history(),
    dropCursor(),
    indentOnInput(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    autocompletion(complete ? { override: [completionSource(complete)] } : {}),
    keymap.of([
      { key: 'Mod-s', run: save, preventDefault: true },
      { key: 'F8', run: nextDiagnostic, shift: previousDiagnostic },
      { key: 'Tab', run: acceptCompletion },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      indentWithTab,
    ]),
    EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (docChanged && !transactions.every((transaction) => transaction.annotation(shown))) onchange(state.doc.toString());
    }),
    // A dropped file is opened by the window; a dropped text goes where it falls.
    EditorView.domEventHandlers({ drop: ({ dataTransfer }) => (dataTransfer?.files.length ?? 0) > 0 }),
  ];
}
