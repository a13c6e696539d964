/** What a key does in a timeline, with and without a selected slice. */
export type TimelineCommand =
  | 'zoomIn'
  | 'zoomOut'
  | 'panLeft'
  | 'panRight'
  | 'scrollUp'
  | 'scrollDown'
  | 'fit'
  | 'focus'
  | 'selectFirst'
  | 'clear'
  | 'next'
  | 'previous'
  | 'up'
  | 'down';

const always: Readonly<Record<string, TimelineCommand>> = {
  w: 'zoomIn',
  s: 'zoomOut',
  a: 'panLeft',
  d: 'panRight',
  '+': 'zoomIn',
  '=': 'zoomIn',
  '-': 'zoomOut',
  '0': 'fit',
};

const withoutSelection: Readonly<Record<string, TimelineCommand>> = {
  ArrowLeft: 'panLeft',
  ArrowRight: 'panRight',
  ArrowUp: 'scrollUp',
  ArrowDown: 'scrollDown',
  Enter: 'selectFirst',
};

const withSelection: Readonly<Record<string, TimelineCommand>> = {
  ArrowLeft: 'previous',
  ArrowRight: 'next',
  ArrowUp: 'up',
  ArrowDown: 'down',
  f: 'focus',
  Escape: 'clear',
};

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** Undefined for keys that mean nothing here, and for all with Ctrl, Alt or the command key: they belong to the app. */
export function commandOf({ key, ctrlKey, metaKey, altKey }: Key, isSelected: boolean): TimelineCommand | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  const name = key.length === 1 ? key.toLowerCase() : key;
  return always[name] ?? (isSelected ? withSelection : withoutSelection)[name];
}
