import type { Draft } from './draft.ts';

/**
 * The state of editing one cluster: what is shown, what the core holds, and the way back and forth. Immutable: every action
 * returns the next state. `saved` follows `present` when the core has answered; the two differ while a save is under way or refused.
 */
export interface Editor {
  readonly past: readonly Draft[];
  readonly present: Draft;
  readonly future: readonly Draft[];
  readonly saved: Draft;
}

/** So many edits can be taken back. */
const KEPT = 200;

export function openEditor(draft: Draft): Editor {
  return { past: [], present: draft, future: [], saved: draft };
}

/** An edit that changes nothing leaves no trace in the history. */
export function edit(editor: Editor, change: (draft: Draft) => Draft): Editor {
  const next = change(editor.present);
  if (isSame(next, editor.present)) return editor;
  return { ...editor, past: [...editor.past, editor.present].slice(-KEPT), present: next, future: [] };
}

export function undo(editor: Editor): Editor {
  const previous = editor.past.at(-1);
  if (!previous) return editor;
  return { ...editor, past: editor.past.slice(0, -1), present: previous, future: [editor.present, ...editor.future] };
}

export function redo(editor: Editor): Editor {
  const [next, ...future] = editor.future;
  if (!next) return editor;
  return { ...editor, past: [...editor.past, editor.present], present: next, future };
}

/** The core has it. */
export function markSaved(editor: Editor, draft: Draft): Editor {
  return { ...editor, saved: draft };
}

/**
 * The core says what the cluster is now. What nobody here has changed follows it, as one more edit that can be undone; own changes
 * that wait for their save stay.
 */
export function follow(editor: Editor, draft: Draft): Editor {
  if (isSame(draft, editor.saved)) return editor;
  return markSaved(isDirty(editor) ? editor : edit(editor, () => draft), draft);
}

export function isDirty({ present, saved }: Editor): boolean {
  return !isSame(present, saved);
}

/** Drafts are small trees of plain values in a fixed order of keys. */
function isSame(a: Draft, b: Draft): boolean {
  return a === b || JSON.stringify(normal(a)) === JSON.stringify(normal(b));
}

function normal({ title, jobs }: Draft): unknown {
  return [
    title,
    jobs.map(({ name, tasks }) => [
      name,
      tasks.map((task) => [task.index, task.machine, task.engine, task.port, task.virtualGpus, task.restart ?? false]),
    ]),
  ];
}
