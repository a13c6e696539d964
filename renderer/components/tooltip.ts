import type { Attachment } from 'svelte/attachments';

const DELAY = 400;
const GAP = 6;

/** Explains an element on hover and on focus: `{@attach tooltip(text)}`. The element needs a name of its own besides. */
export function tooltip(text: string): Attachment<HTMLElement> {
  return (element) => {
    let bubble: HTMLElement | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      if (bubble || text === '') return;
      bubble = createBubble(text);
      // Inside an open dialog only what belongs to the dialog is on top.
      (element.closest('dialog') ?? document.body).append(bubble);
      place(bubble, element.getBoundingClientRect());
    };
    const hide = () => {
      clearTimeout(timer);
      bubble?.remove();
      bubble = undefined;
    };
    const showSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(show, DELAY);
    };
    const showForKeyboard = () => {
      if (element.matches(':focus-visible')) showSoon();
    };
    // For whoever looks for texts that are cut and not told otherwise.
    element.dataset['tooltip'] = text;
    const events = { pointerenter: showSoon, pointerleave: hide, pointerdown: hide, focus: showForKeyboard, blur: hide, keydown: hide };
    for (const [name, listener] of Object.entries(events)) element.addEventListener(name, listener);
    return () => {
      hide();
      delete element.dataset['tooltip'];
      for (const [name, listener] of Object.entries(events)) element.removeEventListener(name, listener);
    };
  };
}

function createBubble(text: string): HTMLElement {
  const bubble = document.createElement('div');
  bubble.className = 'tooltip';
  bubble.setAttribute('aria-hidden', 'true');
  bubble.textContent = text;
  return bubble;
}

/** Below the element, or above where there is no room, and never outside the window. */
function place(bubble: HTMLElement, target: DOMRect): void {
  const { width, height } = bubble.getBoundingClientRect();
  const left = Math.max(GAP, Math.min(target.left + target.width / 2 - width / 2, innerWidth - width - GAP));
  const below = target.bottom + GAP;
  bubble.style.left = `${left}px`;
  bubble.style.top = `${below + height > innerHeight ? target.top - height - GAP : below}px`;
}
