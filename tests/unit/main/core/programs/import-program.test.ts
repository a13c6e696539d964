import { describe, expect, it } from 'vitest';
import { emptyDocument } from '#proto/graph-document/document.ts';
import { writeDocument } from '#proto/graph-document/write-document.ts';
import { encodeGraphDef, formatGraphDef, Graph } from '../../../../../main/client/index.ts';
import { importProgram } from '../../../../../main/core/programs/import-program.ts';
import { limiter } from '../../../../../main/core/programs/limiter.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const graph = new Graph();
graph.noOp();
const def = graph.toDef();

describe('importProgram', () => {
  it.each([
    ['My Program.ts', bytes('export default 1'), { title: 'My Program', extension: 'ts' }],
    ['a.b.MJS', bytes(''), { title: 'a.b', extension: 'js' }],
    ['C:\\lab\\图.lanflow.json', bytes(writeDocument(emptyDocument('x'))), { title: '图', extension: 'lanflow.json' }],
    ['/home/me/doc.json', bytes(writeDocument(emptyDocument('x'))), { title: 'doc', extension: 'lanflow.json' }],
    ['drawn.lanflowgraph', bytes(writeDocument(emptyDocument('x'))), { title: 'drawn', extension: 'lanflow.json' }],
    ['graph.pb', encodeGraphDef(def), { title: 'graph', extension: 'pb' }],
    ['graph.pbtxt', bytes(formatGraphDef(def)), { title: 'graph', extension: 'pbtxt' }],
  ])('takes %s', (file, content, expected) => expect(importProgram(file, content)).toEqual(expected));

  it.each([
    ['notes.txt', bytes('x'), 'notes.txt is no program'],
    ['.ts', bytes('x'), '.ts is no program'],
    ['big.ts', new Uint8Array(2 ** 20 + 1), 'big.ts is too large'],
    ['bytes.ts', Uint8Array.of(0xff, 0xfe, 0), 'bytes.ts is no text in UTF-8'],
    ['x.lanflow.json', bytes('{'), 'x.lanflow.json cannot be taken: The document is not JSON'],
    ['x.json', bytes('{}'), 'x.json cannot be taken: '],
    ['empty.pb', new Uint8Array(), 'empty.pb holds no nodes'],
    ['x.pb', bytes('hello'), 'x.pb cannot be taken: The file holds no GraphDef'],
    ['x.pbtxt', bytes('node {'), 'x.pbtxt cannot be taken: '],
  ])('does not take %s', (file, content, message) => expect(() => importProgram(file, content)).toThrow(message));
});

describe('limiter', () => {
  it('does so much at a time, in order, and goes on after a failure', async () => {
    const inTurn = limiter(2);
    const events: string[] = [];
    const ends: (() => void)[] = [];
    const work = (name: string) =>
      inTurn(async () => {
        events.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (name === 'a') throw new Error(name);
        return name;
      });
    const all = ['a', 'b', 'c', 'd'].map(work);
    const failed = expect(all[0]).rejects.toThrow('a');
    await expect.poll(() => events).toEqual(['a', 'b']);
    ends[0]?.();
    await failed;
    await expect.poll(() => events).toEqual(['a', 'b', 'c']);
    ends[1]?.();
    ends[2]?.();
    await expect.poll(() => events).toEqual(['a', 'b', 'c', 'd']);
    ends[3]?.();
    expect(await Promise.all(all.slice(1))).toEqual(['b', 'c', 'd']);
  });
});
