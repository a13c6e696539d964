import type { App } from '../../stores/app.ts';
import { copyText, duplicate, paste, readCopy } from './model/clipboard.ts';
import type { OpenDrawing } from './open-drawing.svelte.ts';

type Action = (opened: OpenDrawing, app: App) => unknown;

/** By key, all with Ctrl or ⌘; capital letters with Shift. */
const actions: Readonly<Record<string, Action>> = {
  z: ({ drawing }) => drawing.undo(),
  Z: ({ drawing }) => drawing.redo(),
  y: ({ drawing }) => drawing.redo(),
  d: ({ drawing }) => duplicateSelected({ drawing }),
  s: ({ draft }) => draft.save(),
  Enter: (opened, app) => app.toasts.guard(opened.run),
};

/** What the keys do everywhere on the screen but where a text is typed. */
export function drawingKeys(event: KeyboardEvent, app: App, opened: OpenDrawing): void {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event.target)) return;
  const key = event.key.length === 1 ? (event.shiftKey ? event.key.toUpperCase() : event.key.toLowerCase()) : event.key;
  const action = actions[key];
  if (!action) return;
  event.preventDefault();
  void action(opened, app);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable);
}

export function duplicateSelected({ drawing }: Pick<OpenDrawing, 'drawing'>): void {
  const names = new Set(drawing.selectedNodes.map(({ name }) => name));
  if (names.size > 0) drawing.paste(duplicate(drawing.document, names));
}

/** Copy and cut: the selected nodes go to the clipboard as a text. */
export function copySelected(event: ClipboardEvent, { drawing }: Pick<OpenDrawing, 'drawing'>): void {
  const names = new Set(drawing.selectedNodes.map(({ name }) => name));
  if (names.size === 0 || isTyping(event.target) || hasSelectedText()) return;
  event.preventDefault();
  event.clipboardData?.setData('text/plain', copyText(drawing.document, names));
  if (event.type === 'cut') drawing.removeSelected();
}

/** Nodes from a text that was copied here, in another drawing, or out of a file. */
export function pasteCopied(event: ClipboardEvent, app: App, { drawing }: Pick<OpenDrawing, 'drawing'>): void {
  const text = event.clipboardData?.getData('text/plain') ?? '';
  if (text === '' || isTyping(event.target)) return;
  event.preventDefault();
  void app.toasts.guard(async () => {
    const nodes = readCopy(text);
    if (nodes.length > 0) drawing.paste(paste(drawing.document, nodes));
  });
}

/** What is marked on the page is what a copy means. */
function hasSelectedText(): boolean {
  return String(getSelection()) !== '';
}
