import type { GraphDocument } from '#proto/graph-document/document.ts';
import { slotsOf } from '#proto/graph-document/slots.ts';
import { duplicate, paste } from '../../../../renderer/features/draw/model/clipboard.ts';
import {
  add,
  align,
  type Command,
  connect,
  disconnect,
  move,
  remove,
  rename,
  set,
  setAttr,
  setRun,
} from '../../../../renderer/features/draw/model/commands.ts';
import { uniqueName } from '../../../../renderer/features/draw/model/names.ts';
import { type Item, newNode } from '../../../../renderer/features/draw/model/new-node.ts';

const items: readonly Item[] = [
  { kind: 'constant', name: 'Const' },
  { kind: 'placeholder', name: 'x' },
  { kind: 'variable', name: 'weight' },
  { kind: 'op', op: 'Mul', name: 'mul' },
  { kind: 'op', op: 'AddN', name: 'sum' },
  { kind: 'op', op: 'Split', name: 'parts' },
  { kind: 'reduce', op: 'Mean', name: 'mean' },
  { kind: 'gradients', name: 'gradients' },
  { kind: 'optimizer', name: 'train' },
];

/** Numbers that look random and are the same for the same seed, from 0 up to `below`. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Some change that a user might make. */
export function randomEdit(document: GraphDocument, random: (below: number) => number): Command {
  const { nodes } = document;
  const some = () => nodes[random(nodes.length)];
  const [first, second] = [some(), some()];
  const item = items[random(items.length)];
  const insert = item ? add(newNode(document, item, { x: random(900), y: random(900) })) : add();
  if (!first || !second || nodes.length < 3) return insert;
  const slot = random(slotsOf(second)?.length || 1) - random(2);
  const edits: readonly (() => Command)[] = [
    () => insert,
    () => remove([first.name, ...(random(2) ? [second.name] : [])]),
    () => connect(random(3) ? first.name : `${first.name}:1`, { node: second.name, slot }),
    () => connect(first.name, { node: second.name, slot }),
    () => disconnect({ node: second.name, slot }, random(2)),
    () => move(new Map([[first.name, { x: random(900), y: random(900) }]])),
    () =>
      rename(
        first.name,
        uniqueName(
          ['a', 'b', first.name][random(3)] ?? 'c',
          nodes.map(({ name }) => name),
        ),
      ),
    () => setAttr(first.name, 'T', random(2) ? 'float' : undefined),
    () => set(first.name, { device: random(2) ? '/job:ps/task:0' : '' }),
    () => duplicate(document, new Set([first.name, second.name])).command,
    () => paste(document, [first], { x: 5, y: 5 }).command,
    () => align([first.name, second.name], random(2) ? 'left' : 'bottom', () => ({ width: 150, height: 40 })),
    () => setRun({ fetches: [first.name], watch: [`${second.name}:0`, `${second.name}/read`], feeds: { [first.name]: 1 } }),
  ];
  return edits[random(edits.length)]?.() ?? insert;
}
