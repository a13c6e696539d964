import { deviceColor, deviceLabel } from '../../components/device.ts';
import { familyOf } from '../../plots/timeline/op-family.ts';
import { familyColours } from '../../plots/timeline/op-family-look.ts';
import { type GraphModel, nodesWithin } from './graph-model.ts';
import type { VisibleItem } from './visible-graph.ts';

/** What the colour of a node tells. */
export type Colouring = 'placed' | 'requested' | 'family';

/** How an item of the graph looks, whatever draws it: the canvas or a picture. */
export interface NodeLook {
  readonly item: VisibleItem;
  readonly color: string;
  /** Under the name: op and type of a node. */
  readonly note: string;
  /** Where it is, or is asked to be; empty when that is open. */
  readonly device: string;
  readonly isPinned: boolean;
  /** It is placed elsewhere than asked. */
  readonly isMoved: boolean;
  readonly hasProblem: boolean;
  /** Of a closed scope: colours of what is in it, with their shares. */
  readonly shares: readonly Share[];
}

export interface Share {
  readonly color: string;
  readonly part: number;
}

/** What is known of the nodes besides the graph itself. */
export interface NodeFacts {
  readonly placed: (name: string) => string;
  /** By the program, or by a pin. */
  readonly requested: (name: string) => string;
  readonly isPinned: (id: string) => boolean;
  readonly isMoved: (name: string) => boolean;
  readonly hasProblem: (name: string) => boolean;
}

/** Where a node counts as being: placed, or else asked to be. */
export function deviceOf(facts: NodeFacts, name: string): string {
  return facts.placed(name) || facts.requested(name);
}

export function colorOf(model: GraphModel, facts: NodeFacts, colouring: Colouring, name: string): string {
  if (colouring === 'family') return familyColours[familyOf(model.nodes.get(name)?.op ?? '')];
  const device = colouring === 'placed' ? facts.placed(name) : facts.requested(name);
  return device === '' ? 'var(--line-strong)' : deviceColor(device);
}

export function lookOf(model: GraphModel, facts: NodeFacts, colouring: Colouring, item: VisibleItem): NodeLook {
  const isPinned = facts.isPinned(item.id);
  if (item.kind === 'node') {
    const { name, op, outputs } = item.node;
    return {
      item,
      isPinned,
      color: colorOf(model, facts, colouring, name),
      note: [op, outputs[0] ?? ''].filter(Boolean).join(' · '),
      device: colouring === 'requested' ? facts.requested(name) : deviceOf(facts, name),
      isMoved: facts.isMoved(name),
      hasProblem: facts.hasProblem(name),
      shares: [],
    };
  }
  const inside = nodesWithin(model, item.id).map(({ name }) => name);
  const shares = sharesOf(inside.map((name) => colorOf(model, facts, colouring, name)));
  const devices = new Set(inside.map((name) => deviceOf(facts, name)));
  const [device = ''] = devices;
  return {
    item,
    isPinned,
    shares,
    color: shares.length === 1 ? (shares[0]?.color ?? '') : 'var(--line-strong)',
    note: '',
    device: devices.size === 1 ? device : '',
    isMoved: inside.some(facts.isMoved),
    hasProblem: facts.hasProblem(item.id) || inside.some(facts.hasProblem),
  };
}

function sharesOf(colors: readonly string[]): readonly Share[] {
  const counts = new Map<string, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([color, count]) => ({ color, part: count / colors.length }));
}

/** Constants are many and say little: they are drawn small. */
export function isSmall(item: VisibleItem): boolean {
  return item.kind === 'node' && item.node.op === 'Const';
}

const LETTER = 7.2;

/** Pixels that an item takes; of an open scope the least of them. */
export function sizeOf(item: VisibleItem): { readonly width: number; readonly height: number } {
  const letters = (count: number, least: number, most: number) => Math.round(Math.max(least, Math.min(most, count * LETTER + 44)));
  if (isSmall(item) && item.kind === 'node') return { width: letters(item.node.title.length, 72, 160), height: 26 };
  if (item.kind === 'node') return { width: letters(Math.max(item.node.title.length, item.node.op.length + 8), 128, 220), height: 62 };
  return { width: letters(item.scope.title.length + 4, 150, 240), height: 56 };
}

/** Its accessible name: all that its look tells. */
export function describe(
  look: NodeLook,
  words: { readonly nodes: string; readonly pinned: string; readonly moved: string; readonly problem: string },
): string {
  const { item, note, device, isPinned, isMoved, hasProblem } = look;
  return [
    item.id,
    item.kind === 'node' ? note : words.nodes,
    device && deviceLabel(device),
    isPinned && words.pinned,
    isMoved && words.moved,
    hasProblem && words.problem,
  ]
    .filter(Boolean)
    .join(', ');
}
