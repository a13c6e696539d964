import { opSignature } from '#proto/ops/op-summary.ts';
import { opDef, opNames } from '#proto/ops/registry.ts';
import type { Item } from '../model/new-node.ts';
import { type Group, groupOf } from './groups.ts';
import { servedOps } from './served-ops.ts';

type Composite = 'constant' | 'placeholder' | 'variable' | 'optimizer' | 'gradients';
type Short =
  | 'add'
  | 'sub'
  | 'mul'
  | 'div'
  | 'matmul'
  | 'square'
  | 'softmax'
  | 'relu'
  | 'sigmoid'
  | 'assign'
  | 'assign_add'
  | 'add_n'
  | 'exp'
  | 'log'
  | 'concat'
  | 'reshape'
  | 'cast'
  | 'equal'
  | 'identity'
  | 'group';

/** Messages `draw.item.…`. */
export type Note = Composite | Short | 'reduce';

/** One thing that can be added to a drawing. */
export interface PaletteItem {
  readonly id: string;
  readonly title: string;
  /** Other words by which people look for it. */
  readonly also: string;
  readonly item: Item;
  /** Names the window's words for it; empty where its inputs and outputs have to serve. */
  readonly note: Note | '';
  readonly group: Group;
  /** A bundled task can run it. */
  readonly isServed: boolean;
}

const composite = (kind: Composite, also: string): PaletteItem => ({
  ...{ id: kind, title: kind, also, note: kind, isServed: true },
  item: { kind, name: kind === 'optimizer' ? 'train' : kind },
  group: kind === 'constant' || kind === 'placeholder' ? 'array' : kind === 'variable' ? 'state' : 'nn',
});

const reduction = (op: 'Mean' | 'Sum' | 'Max' | 'Min' | 'Prod'): PaletteItem => {
  const title = `reduce_${op.toLowerCase()}`;
  return {
    id: title,
    title,
    also: op,
    note: 'reduce',
    item: { kind: 'reduce', op, name: op.toLowerCase() },
    group: 'math',
    isServed: true,
  };
};

const short = (title: Short, op: string, also: string): PaletteItem => ({
  ...{ id: title, title, also: `${op} ${also}`, note: title, item: { kind: 'op', op, name: title } },
  group: groupOf(op, false),
  isServed: servedOps.has(op),
});

/** What most drawings are made of, under the names that programs use for it. */
export const favourites: readonly PaletteItem[] = [
  composite('constant', 'Const number data'),
  composite('placeholder', 'Placeholder input feed'),
  composite('variable', 'VariableV2 weight parameter'),
  composite('optimizer', 'GradientDescent Momentum Adam train minimize'),
  short('add', 'AddV2', 'plus sum'),
  short('sub', 'Sub', 'minus subtract difference'),
  short('mul', 'Mul', 'times multiply product'),
  short('div', 'RealDiv', 'divide quotient'),
  short('matmul', 'MatMul', 'matrix product'),
  short('square', 'Square', 'power'),
  reduction('Mean'),
  reduction('Sum'),
  short('softmax', 'Softmax', 'probabilities'),
  short('relu', 'Relu', 'rectified linear'),
  short('sigmoid', 'Sigmoid', 'logistic'),
  short('assign', 'Assign', 'set value'),
  short('assign_add', 'AssignAdd', 'increment'),
  short('add_n', 'AddN', 'sum several'),
  composite('gradients', 'derivative average'),
  reduction('Max'),
  reduction('Min'),
  reduction('Prod'),
  short('exp', 'Exp', 'exponential'),
  short('log', 'Log', 'logarithm'),
  short('concat', 'ConcatV2', 'join concatenate'),
  short('reshape', 'Reshape', 'shape'),
  short('cast', 'Cast', 'convert dtype'),
  short('equal', 'Equal', 'compare same'),
  short('identity', 'Identity', 'copy'),
  short('group', 'NoOp', 'together after'),
];

/** What people call an op. */
const known: ReadonlyMap<string, Pick<PaletteItem, 'note' | 'also'>> = new Map(
  favourites.flatMap(({ item, note, also }) => (item.kind === 'op' ? [[item.op, { note, also }]] : [])),
);

/** All ops under their own names. Made when it is first looked at: their definitions are a large text. */
export function allOps(): readonly PaletteItem[] {
  return opNames().map((op) => ({
    ...{ id: `op ${op}`, title: op, also: '', note: '', ...known.get(op), item: { kind: 'op', op, name: snakeCase(op) } },
    group: groupOf(op, opDef(op)?.isStateful ?? false),
    isServed: servedOps.has(op),
  }));
}

/** The window's words for an op where it has some, else what goes in and comes out. */
export function opSummary(op: string, text: (key: `draw.item.${Note}`) => string): string {
  const note = known.get(op)?.note ?? '';
  if (note !== '') return text(`draw.item.${note}`);
  const def = opDef(op);
  return def ? opSignature(def) : '';
}

/** `MatMul` becomes `mat_mul`, `AddV2` `add`. */
export function snakeCase(op: string): string {
  const words = op
    .replace(/V\d+$/, '')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2');
  return words.toLowerCase().replace(/^_+/, '');
}

/** Best first: what has the words as its name, then at its beginning, then anywhere; what a bundled task can run before the rest. */
export function search(items: readonly PaletteItem[], query: string): readonly PaletteItem[] {
  const words = query
    .toLowerCase()
    .split(/[\s_]+/)
    .filter(Boolean);
  const joined = words.join('');
  const rank = ({ title, also, isServed }: PaletteItem): number => {
    const name = title.toLowerCase().replaceAll('_', '');
    const others = also.toLowerCase();
    const isAlias = others.split(' ').includes(joined);
    const inside = name.includes(joined) ? 3 : others.includes(joined) ? 4 : 5;
    const place = name === joined ? 0 : isAlias ? 1 : name.startsWith(joined) ? 2 : inside;
    return place * 2 + (isServed ? 0 : 3);
  };
  const fits = (item: PaletteItem): boolean => {
    const text = `${item.title} ${item.also}`.toLowerCase();
    return words.every((word) => text.includes(word) || text.replaceAll('_', '').includes(word));
  };
  const ranked = items.filter(fits).map((item) => ({ item, rank: rank(item) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
}
