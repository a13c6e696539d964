import { describe, expect, it } from 'vitest';
import { type DocumentNode, emptyDocument, type GraphDocument } from '#proto/graph-document/document.ts';
import { CONTROL_SLOT } from '#proto/graph-document/join.ts';
import { readDocument } from '#proto/graph-document/read-document.ts';
import { copyText, duplicate, paste, readCopy } from '../../../../renderer/features/draw/model/clipboard.ts';
import { align, connect, disconnect, move, remove, rename, set, setAttr } from '../../../../renderer/features/draw/model/commands.ts';
import { edit, endStroke, openHistory, redo, undo } from '../../../../renderer/features/draw/model/history.ts';
import { uniqueName } from '../../../../renderer/features/draw/model/names.ts';
import { movedPins, renamedNode } from '../../../../renderer/features/draw/model/renamed.ts';

function documentOf(...nodes: readonly object[]): GraphDocument {
  return readDocument(JSON.stringify({ version: 1, title: 't', nodes }));
}

function node(document: GraphDocument, name: string): DocumentNode {
  return document.nodes.find((each) => each.name === name) ?? expect.unreachable(name);
}

const drawing = documentOf(
  { name: 'w', kind: 'variable', initial: { initializer: 'value', value: 1 } },
  { name: 'x', kind: 'constant', value: 2, x: 10, y: 90 },
  { name: 'y', kind: 'op', op: 'Mul', inputs: ['w', 'x:0'], x: 40, y: 20 },
  { name: 's', kind: 'op', op: 'AddN', inputs: [['y', 'x', 'y']], control: ['w'] },
);

describe('a connection', () => {
  it('takes the place of another in a slot for one tensor, and joins the others in a list', () => {
    const next = connect('x', { node: 's', slot: 0 })(connect('x', { node: 'y', slot: 0 })(drawing));
    expect([node(next, 'y').inputs, node(next, 's').inputs]).toEqual([['x', 'x:0'], [['y', 'x', 'y', 'x']]]);
  });

  it('is taken away alone', () => {
    const next = disconnect({ node: 's', slot: 0 }, 0)(disconnect({ node: 'y', slot: 1 })(drawing));
    expect([node(next, 'y').inputs, node(next, 's').inputs]).toEqual([['w', null], [['x', 'y']]]);
    expect(node(disconnect({ node: 's', slot: CONTROL_SLOT })(drawing), 's').control).toEqual([]);
    expect(disconnect({ node: 's', slot: 0 }, 7)(drawing)).toBe(drawing);
  });

  it('that is there already, or leads nowhere, changes nothing', () => {
    expect(connect('w', { node: 'y', slot: 0 })(drawing)).toBe(drawing);
    expect(connect('w', { node: 's', slot: CONTROL_SLOT })(drawing)).toBe(drawing);
    expect(connect('w', { node: 'x', slot: 0 })(drawing)).toBe(drawing);
  });
});

describe('a node', () => {
  it('is named by its new name everywhere', () => {
    const run = { ...drawing.run, watch: ['w', 'w[0]', 'w/read', 'wide'], fetches: ['w:0'], feeds: { 'w:0': 1 } };
    const next = rename('w', 'weight')({ ...drawing, run });
    expect([node(next, 'y').inputs, node(next, 's').control]).toEqual([['weight', 'x:0'], ['weight']]);
    expect(next.run).toMatchObject({
      watch: ['weight', 'weight[0]', 'weight/read', 'wide'],
      fetches: ['weight:0'],
      feeds: { 'weight:0': 1 },
    });
    expect(rename('w', 'x')(drawing)).toBe(drawing);
  });

  it('is gone with all that named it', () => {
    const next = remove(['x'])({ ...drawing, run: { ...drawing.run, watch: ['x', 'w'] } });
    expect([node(next, 'y').inputs, node(next, 's').inputs, next.run.watch]).toEqual([['w', null], [['y', 'y']], ['w']]);
  });

  it('that gets what it has is the same document', () => {
    expect(set('x', { value: 2 })(drawing)).toBe(drawing);
    expect(setAttr('y', 'T', undefined)(drawing)).toBe(drawing);
    expect(move(new Map([['x', { x: 10, y: 90 }]]))(drawing)).toBe(drawing);
    expect(node(setAttr('y', 'T', 'half')(drawing), 'y')).toMatchObject({ attrs: { T: 'half' } });
  });

  it('is put in line with others', () => {
    const size = () => ({ width: 100, height: 40 });
    const next = align(['x', 'y'], 'right', size)(drawing);
    expect([node(next, 'x').x, node(next, 'y').x]).toEqual([40, 40]);
    expect(node(align(['x', 'y'], 'top', size)(drawing), 'x')).toMatchObject({ x: 10, y: 20 });
  });
});

describe('copies', () => {
  it('have names of their own and are connected among each other', () => {
    const { command, names } = duplicate(drawing, new Set(['x', 'y']));
    expect(names).toEqual(['x_1', 'y_1']);
    expect(node(command(drawing), 'y_1').inputs).toEqual(['w', 'x_1:0']);
  });

  it('go by way of a text into another document, without what that one lacks', () => {
    const copied = readCopy(copyText(drawing, new Set(['y', 's'])));
    const other = documentOf({ name: 'y', kind: 'constant', value: 1 });
    const { command, names } = paste(other, copied, { x: 500, y: 500 });
    expect(names).toEqual(['y_1', 's']);
    expect(node(command(other), 'y_1')).toMatchObject({ inputs: [null, null], x: 540, y: 520 });
    expect(node(command(other), 's')).toMatchObject({ inputs: [['y_1', 'y_1']], control: [], x: 500, y: 500 });
  });

  it('are made of nothing but such a text', () => {
    expect(() => readCopy('hello')).toThrow(expect.objectContaining({ codeName: 'INVALID_ARGUMENT' }));
  });
});

it('names are made unique as TensorFlow does it, whatever the case of the letters', () => {
  expect(uniqueName('x', [])).toBe('x');
  expect(uniqueName('x', ['X', 'x_1'])).toBe('x_2');
  expect(uniqueName('x_1', ['x_1'])).toBe('x_2');
});

describe('undo', () => {
  const at = (x: number) => move(new Map([['x', { x, y: 0 }]]));
  const opened = openHistory(drawing);

  it('takes a drag back as one edit, and the next drag as another', () => {
    let history = [1, 2, 3].reduce((next, x) => edit(next, at(x), 'move x'), opened);
    history = edit(endStroke(history), at(9), 'move x');
    expect(node(undo(history).present, 'x').x).toBe(3);
    expect(undo(undo(history)).present).toBe(drawing);
    expect(node(redo(undo(history)).present, 'x').x).toBe(9);
  });

  it('forgets what was taken back when something else is done', () => {
    const history = edit(undo(edit(opened, at(1))), at(2));
    expect(redo(history)).toBe(history);
    expect(edit(history, (document) => document)).toBe(history);
  });

  it('does not join an edit after an undo with the one before', () => {
    const history = edit(undo(edit(edit(opened, at(1), 'm'), at(5), 'n')), at(2), 'm');
    expect(node(undo(history).present, 'x').x).toBe(1);
  });
});

describe('pins follow a node to its new name', () => {
  it('when it was renamed, and when that was taken back', () => {
    const next = rename('w', 'weight')(drawing);
    expect(renamedNode(drawing, next)).toEqual({ from: 'w', to: 'weight' });
    expect(renamedNode(next, drawing)).toEqual({ from: 'weight', to: 'w' });
    expect(movedPins({ w: '/job:ps', 'w/': '/job:ps', wide: '/cpu:0' }, { from: 'w', to: 'weight' })).toEqual({
      weight: '/job:ps',
      'weight/': '/job:ps',
      wide: '/cpu:0',
    });
  });

  it('and nothing else is taken for that', () => {
    expect(renamedNode(drawing, drawing)).toBeUndefined();
    expect(renamedNode(drawing, remove(['x'])(drawing))).toBeUndefined();
    expect(renamedNode(drawing, move(new Map([['x', { x: 1, y: 1 }]]))(drawing))).toBeUndefined();
    expect(movedPins({ wide: '/cpu:0' }, { from: 'w', to: 'weight' })).toBeUndefined();
  });
});

it('an empty document is a document', () => {
  expect(emptyDocument('x').nodes).toEqual([]);
});
