/**
 * What can be taken back and done again. Immutable; every function gives the next state. Edits with one `stroke` that follow each
 * other are one: a drag, or a word that is typed.
 */
export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** Names what the last edit was part of; empty when the next one is a new one in any case. */
  readonly stroke: string;
}

/** So many edits can be taken back. They share what they do not change. */
const KEPT = 500;

export function openHistory<T>(present: T): History<T> {
  return { past: [], present, future: [], stroke: '' };
}

/** An edit that gives back the same object leaves no trace. */
export function edit<T>(history: History<T>, change: (present: T) => T, stroke = ''): History<T> {
  const present = change(history.present);
  if (present === history.present) return history;
  if (stroke !== '' && stroke === history.stroke) return { ...history, present, future: [] };
  return { past: [...history.past, history.present].slice(-KEPT), present, future: [], stroke };
}

/** The next edit is one of its own, whatever its stroke. */
export function endStroke<T>(history: History<T>): History<T> {
  return history.stroke === '' ? history : { ...history, stroke: '' };
}

export function undo<T>(history: History<T>): History<T> {
  const previous = history.past.at(-1);
  if (previous === undefined) return history;
  return { past: history.past.slice(0, -1), present: previous, future: [history.present, ...history.future], stroke: '' };
}

export function redo<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.present], present: next, future, stroke: '' };
}
