import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import type { Completion } from '#proto/ipc/contract.ts';
import { completionSource, wantsCompletion } from '../../../../../renderer/components/code-editor/completion-source.ts';

describe('suggestions', () => {
  it.each([
    ['g.', true],
    ['g.va', true],
    ['Gr', true],
    ["from '", true],
    ['g?.', true],
    ['f().', true],
    ['1.', false],
    ['12', false],
    ['x ', false],
    ['x = ', false],
    ['', false],
    ['0x1f', false],
  ])('come behind %o: %s', (before, wanted) => {
    expect(wantsCompletion(before)).toBe(wanted);
  });

  const item = (label: string): Completion => ({ label, kind: 'module', detail: '', documentation: '' });
  const ask = (doc: string, items: readonly Completion[], explicit = false) => {
    const asked: [string, number][] = [];
    const source = completionSource(async (text, offset) => {
      asked.push([text, offset]);
      return { from: 2, items };
    });
    return { asked, result: source(new CompletionContext(EditorState.create({ doc }), doc.length, explicit)) };
  };

  it('are those of the core, in its order, from where it says', async () => {
    const { asked, result } = ask('g.v', [item('var'), item('vector')]);
    const found = await result;
    expect([asked, found?.from, found?.options.map(({ label, type }) => [label, type])]).toEqual([
      [['g.v', 3]],
      2,
      [
        ['var', 'namespace'],
        ['vector', 'namespace'],
      ],
    ]);
    const [first, second] = found?.options ?? [];
    expect(first?.boost).toBeGreaterThan(second?.boost ?? Number.NaN);
  });

  it('are asked for anew with every letter when there were more than the core tells', async () => {
    expect((await ask('g.v', [item('var')]).result)?.validFor).toBeDefined();
    expect(
      (
        await ask(
          'g.v',
          Array.from({ length: 200 }, () => item('var')),
        ).result
      )?.validFor,
    ).toBeUndefined();
  });

  it('come anywhere when the user wants them, and not as an empty list', async () => {
    expect(await ask('x = ', [item('var')]).result).toBeNull();
    expect((await ask('x = ', [item('var')], true).result)?.options).toHaveLength(1);
    expect(await ask('x.', []).result).toBeNull();
  });
});
