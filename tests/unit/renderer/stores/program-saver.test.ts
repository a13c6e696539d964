import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unavailable } from '#proto/wire/status.ts';
import { ProgramSaver, type SaverState, type UnsavedText } from '../../../../renderer/stores/program-saver.ts';

/** A disk that others can write too, and that can fail; and what outlives the window. */
class FakeDisk {
  text = 'a';
  fails = false;
  kept: UnsavedText | undefined;
  onWrite = () => {};
  readonly written: string[] = [];
  readonly published: SaverState[] = [];

  open(): ProgramSaver {
    return new ProgramSaver(
      {
        read: async () => this.#reach(() => this.text),
        write: async (source) =>
          this.#reach(() => {
            this.text = source;
            this.written.push(source);
            this.onWrite();
          }),
        publish: (state) => this.published.push(state),
        recall: () => this.kept,
        keep: (text) => {
          this.kept = text;
        },
      },
      this.text,
    );
  }

  #reach<T>(act: () => T): T {
    if (this.fails) throw unavailable('the core is away');
    return act();
  }
}

describe('the source of a program, as it is saved', () => {
  let disk: FakeDisk;
  beforeEach(() => {
    vi.useFakeTimers();
    disk = new FakeDisk();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

  it('is saved half a second after the last letter, once', async () => {
    const saver = disk.open();
    for (const text of ['ab', 'abc', 'abcd']) {
      saver.type(text);
      await pass(300);
    }
    expect(disk.written).toEqual([]);
    await pass(200);
    expect([disk.written, saver.state]).toEqual([['abcd'], { source: 'abcd', status: 'saved' }]);
    expect(disk.published.map(({ status }) => status)).toEqual(['saved', 'unsaved', 'unsaved', 'unsaved', 'saving', 'saved']);
  });

  it('is saved within five seconds of typing without a pause', async () => {
    const saver = disk.open();
    for (let letter = 0; letter < 26; letter++) {
      saver.type('b'.repeat(letter));
      await pass(200);
    }
    expect(disk.written).toHaveLength(1);
  });

  it('saves what was typed while it was saving', async () => {
    const saver = disk.open();
    disk.onWrite = () => disk.text === 'ab' && saver.type('abc');
    saver.type('ab');
    await saver.save();
    expect([disk.text, saver.state.status]).toEqual(['ab', 'unsaved']);
    await pass(500);
    expect([disk.text, saver.state.status]).toEqual(['abc', 'saved']);
  });

  it('tries again until the core is back, and says why it waits', async () => {
    const saver = disk.open();
    disk.fails = true;
    saver.type('ab');
    await pass(3000);
    expect([saver.state.status, saver.state.error?.message]).toEqual(['failed', 'the core is away']);
    expect(disk.kept).toEqual({ source: 'ab', base: 'a' });
    disk.fails = false;
    await pass(2000);
    expect([disk.text, saver.state, disk.kept]).toEqual(['ab', { source: 'ab', status: 'saved' }, undefined]);
  });

  it('takes up a text that an earlier window could not save', async () => {
    disk.kept = { source: 'ab', base: 'a' };
    const saver = disk.open();
    expect(saver.state).toEqual({ source: 'ab', status: 'unsaved' });
    await pass(0);
    expect([disk.text, disk.kept]).toEqual(['ab', undefined]);
  });

  it('forgets a kept text that is on disk already', () => {
    disk.kept = { source: 'a', base: '' };
    expect([disk.open().state.status, disk.kept]).toEqual(['saved', undefined]);
  });

  it('asks when a kept text was made from another one than is on disk', () => {
    disk.kept = { source: 'mine', base: 'old' };
    expect(disk.open().state).toEqual({ source: 'mine', status: 'conflict', theirs: 'a' });
  });

  it('keeps what is not saved when the window goes', () => {
    const saver = disk.open();
    saver.type('ab');
    saver.park();
    expect(disk.kept).toEqual({ source: 'ab', base: 'a' });
  });

  it('takes over what another has written, unless something was typed here', async () => {
    const saver = disk.open();
    disk.text = 'theirs';
    await saver.look();
    expect(saver.state).toEqual({ source: 'theirs', status: 'saved' });
  });

  describe('with changes on both sides', () => {
    let saver: ProgramSaver;
    beforeEach(async () => {
      saver = disk.open();
      saver.type('mine');
      disk.text = 'theirs';
      await pass(500);
    });

    it('overwrites nothing and asks', async () => {
      expect([disk.text, saver.state]).toEqual(['theirs', { source: 'mine', status: 'conflict', theirs: 'theirs' }]);
      saver.type('mine!');
      await pass(5000);
      expect([disk.text, saver.state.source, saver.state.status]).toEqual(['theirs', 'mine!', 'conflict']);
    });

    it('keeps mine', async () => {
      await saver.keepMine();
      expect([disk.text, saver.state]).toEqual(['mine', { source: 'mine', status: 'saved' }]);
    });

    it('takes theirs', () => {
      saver.takeTheirs();
      expect([disk.text, saver.state, disk.kept]).toEqual(['theirs', { source: 'theirs', status: 'saved' }, undefined]);
    });
  });
});
