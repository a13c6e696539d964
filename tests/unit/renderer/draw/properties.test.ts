import { describe, expect, it } from 'vitest';
import { emptyDocument, type GraphDocument } from '#proto/graph-document/document.ts';
import { neededBy } from '#proto/graph-document/document-order.ts';
import { readDocument } from '#proto/graph-document/read-document.ts';
import { writeDocument } from '#proto/graph-document/write-document.ts';
import { edit, endStroke, openHistory, redo, undo } from '../../../../renderer/features/draw/model/history.ts';
import { randomEdit, randomNumbers } from './random-edits.ts';

const EDITS = 120;
const seeds = Array.from({ length: 20 }, (_, seed) => seed);

function namesEverywhere({ nodes, run }: GraphDocument): readonly string[] {
  const named = [...run.fetches, ...run.targets, ...run.watch, ...Object.keys(run.feeds)].map((name) => name.replace(/[:/].*/, ''));
  return [...nodes.flatMap(neededBy), ...named];
}

describe.each(seeds)('whatever a user does (seed %i)', (seed) => {
  const random = randomNumbers(seed + 1);
  let history = openHistory(emptyDocument('random'));
  const seen = [history.present];
  for (let i = 0; i < EDITS; i++) {
    history = edit(history, randomEdit(history.present, random), random(3) ? '' : 'drag');
    if (random(4) === 0) history = endStroke(history);
    seen.push(history.present);
  }
  const last = history;

  it('names are unique and nothing names a node that is gone', () => {
    for (const document of seen) {
      const names = document.nodes.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(namesEverywhere(document).filter((name) => !names.includes(name))).toEqual([]);
    }
  });

  it('all of it can be taken back and done again', () => {
    let back = last;
    const steps = last.past.length;
    for (let i = 0; i < steps; i++) back = undo(back);
    expect(back.present).toBe(seen[0]);
    expect(undo(back)).toBe(back);
    for (let i = 0; i < steps; i++) back = redo(back);
    expect(back.present).toBe(last.present);
    expect(redo(back)).toBe(back);
  });

  it('the file holds all of it', () => {
    for (const document of [seen[40], last.present]) {
      if (document) expect(readDocument(writeDocument(document))).toEqual(document);
    }
  });
});
