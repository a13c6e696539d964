import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { opDef, opNames } from '#proto/ops/registry.ts';
import { newNode } from '../../../../renderer/features/draw/model/new-node.ts';
import { groups } from '../../../../renderer/features/draw/palette/groups.ts';
import { allOps, favourites, opSummary, search, snakeCase } from '../../../../renderer/features/draw/palette/palette.ts';
import { opsIn, servedOps } from '../../../../renderer/features/draw/palette/served-ops.ts';

const all = [...favourites, ...allOps()];
const found = (words: string) => search(all, words).map(({ title }) => title);

describe('the palette', () => {
  it('offers every op there is, each in a group and with a summary', () => {
    const ops = allOps();
    expect(ops.map(({ title }) => title)).toEqual(opNames());
    expect(ops.filter(({ group }) => !groups.includes(group))).toEqual([]);
    const summary = (op: string) => opSummary(op, (key) => key);
    expect(ops.filter(({ title }) => summary(title) === '')).toEqual([]);
    expect([summary('Mul'), summary('Tanh')]).toEqual(['draw.item.mul', 'Tanh(x:T) -> y:T']);
  });

  it('has no group that is nearly empty or holds nearly everything', () => {
    const sizes = groups.map((group) => allOps().filter((each) => each.group === group).length);
    expect(Math.min(...sizes)).toBeGreaterThan(20);
    expect(Math.max(...sizes)).toBeLessThan(allOps().length / 2);
  });

  it('begins with what most drawings are made of, all of which bundled tasks can run', () => {
    expect(favourites.slice(0, 4).map(({ title }) => title)).toEqual(['constant', 'placeholder', 'variable', 'optimizer']);
    expect(favourites.filter(({ isServed }) => !isServed)).toEqual([]);
    for (const { item } of favourites) if (item.kind === 'op') expect(opDef(item.op)).toBeDefined();
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });

  it('makes a node of everything that it offers', () => {
    for (const { item } of all) expect(newNode({ nodes: [] }, item, { x: 0.4, y: 1 })).toMatchObject({ name: item.name, x: 0, y: 1 });
  });

  it('names new nodes as programs name them', () => {
    expect(['MatMul', 'AddV2', 'LSTMBlockCell', '_MklAdd'].map(snakeCase)).toEqual(['mat_mul', 'add', 'lstm_block_cell', 'mkl_add']);
  });
});

describe('a search', () => {
  it.each([
    ['add', 'add'],
    ['matmul', 'matmul'],
    ['reduce mean', 'reduce_mean'],
    ['mean', 'Mean'],
    ['Softmax', 'softmax'],
    ['weight', 'variable'],
    ['minimize', 'optimizer'],
    ['FIFOQueueV2', 'FIFOQueueV2'],
  ])('for %s finds %s first', (words, title) => {
    expect(found(words)[0]).toBe(title);
  });

  it('finds ops by what is said of them', () => {
    expect(found('rectified linear')).toContain('Relu');
  });

  it('finds nothing for words that nothing has', () => {
    expect(found('qwertz')).toEqual([]);
  });
});

it('what bundled tasks can run is what the published table says', () => {
  expect(servedOps.size).toBeGreaterThan(100);
  expect(['MatMul', 'ApplyGradientDescent', 'FIFOQueueV2'].every((op) => servedOps.has(op))).toBe(true);
  expect([...servedOps].filter((op) => !opDef(op))).toEqual([]);
  const page = readFileSync(new URL('../../../../docs/coverage.md', import.meta.url), 'utf8');
  expect([...servedOps]).toEqual(opsIn(page));
});
