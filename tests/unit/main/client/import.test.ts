import { describe, expect, it } from 'vitest';
import { AdamOptimizer, decodeGraphDef, encodeGraphDef, Graph, parseGraphDef } from '../../../../main/client/index.ts';

describe('an imported graph', () => {
  it('is the one that was exported, optimizer and all', () => {
    const g = new Graph();
    const w = g.device('/job:ps/task:0', () => g.variable('w', g.zeros([2, 3])));
    new AdamOptimizer().minimize(g.reduceSum(g.square(g.sub(w, 1))));
    g.globalVariablesInitializer();
    const def = decodeGraphDef(encodeGraphDef(g.toDef()));
    const copy = new Graph();
    const nodes = copy.importGraphDef(def);
    expect(copy.toDef()).toEqual(def);
    expect(nodes.get('w')?.output().shape).toEqual([2, 3]);
    expect(copy.neg(nodes.get('w/read')?.output() ?? 0).shape).toEqual([2, 3]);
  });

  it('may be put below a prefix, colocation included', () => {
    const g = new Graph();
    g.variable('w', 1);
    const copy = new Graph();
    copy.noOp({ name: 'part' });
    const nodes = copy.importGraphDef(g.toDef(), { prefix: 'part' });
    expect([...nodes.values()].map(({ name }) => name)).toEqual(['part_1/w/initial_value', 'part_1/w', 'part_1/w/Assign', 'part_1/w/read']);
    expect(copy.colocateWith(nodes.get('w/read') ?? copy.noOp(), () => copy.constant(1)).node.attrs['_class']?.value).toMatchObject({
      value: { s: [new TextEncoder().encode('loc:@part_1/w')] },
    });
  });

  it('may hold loops, whose nodes come in any order', () => {
    const loop = ['Enter', 'Merge', 'LoopCond', 'Switch', 'NextIteration'];
    const def = parseGraphDef(`
      node { name: "next" op: "NextIteration" input: "switch:1" attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "switch" op: "Switch" input: "merge" input: "cond" attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "cond" op: "LoopCond" input: "flag" }
      node { name: "merge" op: "Merge" input: "enter" input: "next" attr { key: "N" value { i: 2 } } attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "enter" op: "Enter" input: "x" attr { key: "T" value { type: DT_FLOAT } } attr { key: "frame_name" value { s: "f" } } }
      node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
      node { name: "flag" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } }`);
    const nodes = new Graph().importGraphDef(def);
    expect(nodes.get('merge')?.inputs.map(({ node }) => node.type)).toEqual(['Enter', 'NextIteration']);
    expect([...nodes.values()].map(({ type }) => type)).toEqual(expect.arrayContaining(loop));
  });

  it.each([
    ['node { name: "a" op: "Nope" }', 'NOT_FOUND', "Op type not registered 'Nope'"],
    ['node { name: "a" op: "Neg" input: "b" attr { key: "T" value { type: DT_FLOAT } } }', 'INVALID_ARGUMENT', "Unknown input node 'b'"],
    ['node { name: "a" op: "NoOp" } node { name: "a" op: "NoOp" }', 'INVALID_ARGUMENT', "'a'"],
    ['node { name: "taken" op: "NoOp" }', 'INVALID_ARGUMENT', "Node name 'taken' already exists"],
    ['node { name: "a" op: "Placeholder" }', 'INVALID_ARGUMENT', "missing attr 'dtype'"],
    [
      'node { name: "x" op: "NoOp" } node { name: "a" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }',
      'INVALID_ARGUMENT',
      "Node 'x' (NoOp) has 0 outputs",
    ],
  ])('is refused when it is wrong: %s', (text, codeName, message) => {
    const g = new Graph();
    g.noOp({ name: 'taken' });
    expect(() => g.importGraphDef(parseGraphDef(text))).toThrow(
      expect.objectContaining({ codeName, message: expect.stringContaining(message) }),
    );
  });
});
