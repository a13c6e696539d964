import { describe, expect, it } from 'vitest';
import { clockNote } from '../../../../renderer/features/trace/clock-note.ts';
import { catalogues } from '../../../../renderer/locales/catalogues.ts';
import type { Text } from '../../../../renderer/locales/i18n.svelte.ts';
import { fillMessage } from '../../../../renderer/locales/message.ts';

const style = { plural: new Intl.PluralRules('en'), number: new Intl.NumberFormat('en') };
const text: Text = (key, ...[values]) => fillMessage(catalogues.en[key], values ?? {}, style);

describe('the note about a clock', () => {
  it.each([
    [null, ''],
    [undefined, ''],
    [{ offset: 2_000_085, error: 302.4 }, 'Clock 2.00 s fast ± 303 µs, corrected'],
    [{ offset: -1500, error: 1200 }, 'Clock 1.50 ms slow ± 1.20 ms, corrected'],
    [{ offset: 3_600_000_000, error: null }, 'Clock about 3\u202f600 s fast, error unknown, corrected'],
    [{ offset: -2_000_000, error: null }, 'Clock about 2 s slow, error unknown, corrected'],
  ])('for %j is %j', (clock, note) => {
    expect(clockNote(text, clock).replaceAll('\u00a0', ' ')).toBe(note);
  });
});
