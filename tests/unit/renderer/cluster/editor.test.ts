import { describe, expect, it } from 'vitest';
import { addTask, type Draft, removeJob } from '../../../../renderer/features/cluster/draft.ts';
import { edit, follow, isDirty, markSaved, openEditor, redo, undo } from '../../../../renderer/features/cluster/editor.ts';

const draft: Draft = { title: 'lab', jobs: [{ name: 'ps', tasks: [] }] };
const grown = addTask(draft, 0, 'here');
const titled = (title: string) => (old: Draft) => ({ ...old, title });

describe('editing a cluster', () => {
  it('goes back and forth without loss', () => {
    const start = openEditor(draft);
    const edited = edit(
      edit(
        edit(start, (d) => addTask(d, 0, 'a')),
        titled('x'),
      ),
      (d) => removeJob(d, 0),
    );
    const back = undo(undo(undo(edited)));
    expect(back.present).toEqual(draft);
    expect(redo(redo(redo(back))).present).toEqual(edited.present);
    expect(redo(redo(redo(redo(back)))).present).toEqual(edited.present);
    expect(undo(start)).toBe(start);
  });

  it('forgets the future at a new edit', () => {
    const other = edit(undo(edit(openEditor(draft), titled('x'))), titled('y'));
    expect(redo(other)).toBe(other);
  });

  it('keeps no trace of an edit that changes nothing', () => {
    const editor = openEditor(draft);
    expect(edit(editor, (d) => ({ ...d, jobs: [...d.jobs] }))).toBe(editor);
  });

  it('is dirty until the core has it', () => {
    const editor = edit(openEditor(draft), () => grown);
    expect(isDirty(editor)).toBe(true);
    expect(isDirty(markSaved(editor, grown))).toBe(false);
    expect(isDirty(undo(markSaved(editor, grown)))).toBe(true);
  });

  it('follows a change made elsewhere, which can be undone here', () => {
    const followed = follow(openEditor(draft), grown);
    expect(followed.present).toEqual(grown);
    expect(isDirty(followed)).toBe(false);
    expect(undo(followed).present).toEqual(draft);
  });

  it('keeps own changes when the core still tells the old state', () => {
    const mine = edit(openEditor(draft), titled('mine'));
    expect(follow(mine, draft)).toBe(mine);
    expect(follow(mine, grown).present.title).toBe('mine');
  });
});
