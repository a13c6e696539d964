import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emptyDocument } from '../../../../proto/graph-document/document.ts';
import { readDocument } from '../../../../proto/graph-document/read-document.ts';
import { writeDocument } from '../../../../proto/graph-document/write-document.ts';
import { documentOf, op } from './documents.ts';

const fixture = readFileSync(new URL('../../../fixtures/documents/in-graph-regression.lanflow.json', import.meta.url), 'utf8');

const everyKind = [
  { name: 'c', kind: 'constant', dtype: 'int64', value: ['9007199254740993', 2], shape: [2] },
  { name: 'p', kind: 'placeholder', shape: [-1, 2] },
  { name: 'v', kind: 'variable', shape: [2, 2], initial: { initializer: 'normal', stddev: 0.1, seed: 7 }, trainable: false },
  { name: 'a', kind: 'op', op: 'AddN', inputs: [['p', 'p']], attrs: { N: 2 }, control: ['c'], device: '/job:worker/task:1', x: 3, y: -4 },
  { name: 'r', kind: 'reduce', op: 'Sum', input: 'a', axes: [-1], keepDims: true },
  { name: 'g', kind: 'gradients', of: 'r', by: ['v', 'p'] },
  { name: 'o', kind: 'optimizer', optimizer: 'Momentum', learningRate: 0.5, momentum: 0.8, variables: ['v'], gradients: ['g:0'] },
];

describe('a document', () => {
  it('is the same after it was written and read', () => {
    for (const document of [emptyDocument('x'), documentOf(...everyKind), readDocument(fixture)]) {
      expect(readDocument(writeDocument(document))).toEqual(document);
    }
  });

  it('is the same text after it was read and written', () => {
    expect(writeDocument(readDocument(fixture))).toBe(fixture);
  });

  it('has a line of its own for each thing that may change', () => {
    const before = writeDocument(documentOf(op('a', 'Neg', null), { ...op('b', 'Neg', 'a'), x: 4 })).split('\n');
    const after = writeDocument(documentOf(op('a', 'Neg', null), { ...op('b', 'Neg', 'a'), x: 5 })).split('\n');
    expect(after.filter((line) => !before.includes(line))).toEqual(['      "x": 5']);
    expect(Math.max(...fixture.split('\n').map((line) => line.length))).toBeLessThanOrEqual(125);
  });

  it('has an empty slot for each input that the file leaves out', () => {
    const [add, join, unknown] = documentOf(op('add', 'AddV2'), op('join', 'ConcatV2', ['a']), op('u', 'NoSuchOp', 'a')).nodes;
    expect([add?.inputs, join?.inputs, unknown?.inputs]).toEqual([[null, null], [['a'], null], ['a']]);
  });
});

describe('what is no document is refused with its place and the way out:', () => {
  const whole = (fields: object) => JSON.stringify({ version: 1, title: 't', ...fields });
  const node = (fields: object) => whole({ nodes: [{ name: 'n', kind: 'constant', value: 1, ...fields }] });
  it.each([
    ['no JSON', '{"version": 1,', /not JSON: .*position/],
    ['another file', '{"name": "package"}', /version: a graph document says "version": 1/],
    ['a newer version', '{"version": 2, "shapes": []}', /version 2.*newer Lanflow.*update/],
    ['no object', '[]', /The document: an object is wanted here, not a list/],
    ['no title', '{"version": 1}', /the field 'title' is missing/],
    ['an unknown field', whole({ colour: 'red' }), /the field 'colour' is not known here/],
    ['an unknown field of a node', node({ tint: 1 }), /The document\.nodes\[0\] 'n': the field 'tint'/],
    ['an unknown kind', node({ kind: 'loop' }), /nodes\[0\]\.kind: one of 'op', 'constant'/],
    ['a name twice', whole({ nodes: [op('x', 'NoOp'), op('x', 'NoOp')] }), /nodes\[1\]\.name: 'x' is the name of .*nodes\[0\] too; rename/],
    ['a bad dtype', node({ dtype: 'float33' }), /'n'\.dtype: 'float33' is no dtype/],
    ['a bad device', node({ device: 'ps0' }), /'n'\.device: 'ps0' is no device name; an example/],
    ['a value that is none', node({ value: { a: 1 } }), /'n'\.value: a number.*not an object/],
    ['too many dimensions', node({ value: JSON.parse('['.repeat(400) + ']'.repeat(400)) }), /nested deeper than the 254/],
    ['too many inputs', whole({ nodes: [op('n', 'Neg', 'a', 'b')] }), /'n'\.inputs: the op has 1 inputs, but 2/],
    ['one tensor for a list', whole({ nodes: [op('n', 'AddN', 'a')] }), /inputs\[0\]: 'inputs' takes a list/],
    ['a job that cannot be', whole({ cluster: { 'my job': 1 } }), /'my job' is no name for a job/],
    ['no tasks', whole({ cluster: { ps: 0 } }), /cluster\.ps: a whole number from 1 to 1000 is wanted here, not 0/],
    ['steps that are none', whole({ run: { steps: -1 } }), /run\.steps: a whole number from 0 on/],
    [
      'an unknown initializer',
      whole({ nodes: [{ name: 'v', kind: 'variable', initial: { initializer: 'xavier' } }] }),
      /one of 'value', 'zeros'/,
    ],
  ])('%s', (_name, text, message) => {
    expect(() => readDocument(text)).toThrow(
      expect.objectContaining({ codeName: 'INVALID_ARGUMENT', message: expect.stringMatching(message) }),
    );
  });
});
