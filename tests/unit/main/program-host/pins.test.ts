import { describe, expect, it } from 'vitest';
import { Graph } from '../../../../main/client/index.ts';
import { applyPins, pinnedDevices } from '../../../../main/program-host/pins.ts';

const [PS0, PS1, WORKER] = ['/job:ps/task:0', '/job:ps/task:1', '/job:worker/task:0'];

describe('pins', () => {
  const graph = new Graph();
  const variable = graph.device(PS0, () => graph.variable('var', 0));
  graph.device(PS0, () => graph.variable('other', 0, { resource: true }));
  graph.device(WORKER, () => {
    variable.assignAdd(1, { name: 'add' });
    graph.mul(variable, 2, { name: 'twice' });
  });
  graph.nameScope('layer', () => {
    graph.constant(1, { name: 'a' });
    graph.nameScope('inner', () => graph.constant(2, { name: 'b' }));
  });
  const def = graph.toDef();
  const devicesWith = (pins: Record<string, string>): Readonly<Record<string, string>> =>
    Object.fromEntries(applyPins(def, pins).node.map(({ name, device }) => [name, device]));
  const before = devicesWith({});

  it('leave everything as it is when there are none, or none that fit', () => {
    expect(applyPins(def, {})).toBe(def);
    expect(applyPins(def, { nowhere: PS1, 'no/scope/': PS1 })).toBe(def);
  });

  it('move a node, and nothing else, without changing the graph itself', () => {
    expect(devicesWith({ twice: PS1 })).toEqual({ ...before, twice: PS1 });
    expect(graph.nodes.get('twice')?.device).toBe(WORKER);
    expect(def.node.find(({ name }) => name === 'twice')?.device).toBe(WORKER);
  });

  it('take along what must be where a reference variable is', () => {
    const moved = devicesWith({ var: PS1 });
    for (const name of ['var', 'var/Assign', 'var/read', 'add']) expect(moved[name]).toBe(PS1);
    expect(moved).toMatchObject({ twice: WORKER, other: PS0 });
  });

  it('take along what must be where a resource variable is', () => {
    const moved = devicesWith({ other: PS1 });
    for (const name of ['other', 'other/Assign', 'other/Read/ReadVariableOp']) expect(moved[name]).toBe(PS1);
    expect(moved['var']).toBe(PS0);
  });

  it('hold for a whole scope, the innermost name counting most', () => {
    const pins = { 'layer/': PS0, 'layer/inner/': PS1, 'layer/inner/b': WORKER };
    expect(devicesWith({ 'layer/': PS0 })).toMatchObject({ 'layer/a': PS0, 'layer/inner/b': PS0 });
    expect(devicesWith({ 'layer/': PS0, 'layer/inner/': PS1 })).toMatchObject({ 'layer/a': PS0, 'layer/inner/b': PS1 });
    expect(devicesWith(pins)).toMatchObject({ 'layer/a': PS0, 'layer/inner/b': WORKER });
    expect([...pinnedDevices(def, { layer: PS1 }).keys()]).toEqual([]);
  });

  it('let a node go anywhere', () => {
    expect(devicesWith({ twice: '' })['twice']).toBe('');
  });

  it('of its own count for a node that another would take along', () => {
    expect(devicesWith({ var: PS1, add: WORKER })).toMatchObject({ var: PS1, add: WORKER, 'var/read': PS1 });
  });
});
