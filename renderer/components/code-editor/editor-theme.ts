import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The window's own colours, which know both themes. */
const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--panel)', color: 'var(--text)', fontSize: '12.5px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 12px 0 8px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)', borderLeftWidth: '1.5px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 14px', minWidth: '34px' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--ok-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft)', outline: '1.5px solid var(--accent)' },
});

const panels = EditorView.theme({
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)', fontFamily: 'var(--font)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '6px 28px 6px 8px', fontSize: '12px' },
  '.cm-panel.cm-search label': { display: 'inline-flex', alignItems: 'center', fontSize: '12px', color: 'var(--muted)' },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--accent)' },
  '.cm-panel.cm-search button[name=close]': {
    color: 'var(--muted)',
    fontSize: '16px',
    width: '24px',
    height: '24px',
    top: '4px',
    right: '4px',
  },
  '.cm-textfield': {
    minHeight: '24px',
    padding: '1px 7px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--panel)',
    color: 'var(--text)',
    font: 'inherit',
  },
  '.cm-textfield::placeholder': { color: 'var(--faint)', opacity: '1' },
  '.cm-button': {
    minHeight: '24px',
    padding: '1px 8px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--panel)',
    backgroundImage: 'none',
    color: 'var(--text)',
    font: 'inherit',
  },
  '.cm-button:hover': { backgroundColor: 'var(--hover)' },
  '.cm-button:active': { backgroundImage: 'none' },
  '.cm-button:focus-visible, .cm-textfield:focus-visible, button:focus-visible, input:focus-visible': {
    outline: '2px solid var(--accent)',
    outlineOffset: '1px',
  },
});

const tooltips = EditorView.theme({
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--panel)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow-overlay)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12px', maxHeight: '15em', minWidth: '260px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    alignItems: 'baseline',
    padding: '2px 8px 2px 4px',
    lineHeight: '1.5',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-completionIcon': { color: 'var(--muted)', opacity: '1', flex: 'none', width: '1.4em' },
  '.cm-completionLabel': { flex: 'none' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '600' },
  '.cm-completionDetail': {
    flex: '1',
    minWidth: '0',
    maxWidth: '34ch',
    marginLeft: '12px',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    color: 'var(--muted)',
    fontStyle: 'normal',
  },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '380px', padding: '6px 10px' },
  '.cm-completionInfo .signature': { fontFamily: 'var(--mono)', fontSize: '12px', overflowWrap: 'anywhere' },
  '.cm-completionInfo .documentation': { marginTop: '4px', color: 'var(--muted)', fontFamily: 'var(--font)', fontSize: '12px' },
  '.cm-diagnostic': {
    padding: '4px 10px',
    borderLeft: '3px solid var(--warn)',
    fontFamily: 'var(--font)',
    fontSize: '12px',
    whiteSpace: 'pre-wrap',
    maxWidth: '520px',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad) 1px', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn) 1px', textUnderlineOffset: '3px' },
  '.cm-lintRange-active': { backgroundColor: 'var(--bad-soft)' },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--device-1)' },
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.self], color: 'var(--device-2)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--device-3)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--device-0)' },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--device-6)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

export const editorTheme: Extension = [theme, panels, tooltips, syntaxHighlighting(colours)];
