import type { Item } from '../model/new-node.ts';

/** The type of what is dragged out of the palette. */
const TYPE = 'application/x-lanflow-item';

export function putItem(data: DataTransfer, item: Item): void {
  data.setData(TYPE, JSON.stringify(item));
  data.effectAllowed = 'copy';
}

/** Undefined for anything else that was dropped. Only this window's palette writes the type. */
export function itemIn(data: DataTransfer): Item | undefined {
  const text = data.getData(TYPE);
  return text === '' ? undefined : (JSON.parse(text) as Item);
}
