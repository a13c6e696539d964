import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { createLog } from '../../../../task-server/service/log.ts';
import { type RequestedOpening, removeOpening, requestOpening, writeOpening } from '../../../../task-server/service/opening-file.ts';
import { OpeningWatch } from '../../../../task-server/service/opening-watch.ts';
import { Openings } from '../../../../task-server/service/openings.ts';

const HOUR = 3_600_000;
const lines: string[] = [];
const log = createLog({ write: (line) => lines.push(line.replace(/^\S+ /, '')) });
const from = (remoteAddress: string) => ({ remoteAddress, localAddress: '10.0.0.1' });

let openings: Openings;
let cuts: number;

beforeEach(() => {
  vi.useFakeTimers();
  lines.length = 0;
  cuts = 0;
});
afterEach(() => {
  openings.dispose();
  vi.useRealTimers();
});

function begin(...all: ConstructorParameters<typeof Openings>): Openings {
  openings = new Openings(...all);
  openings.begin({ port: 2222, log, cut: () => ++cuts });
  return openings;
}

describe('openings', () => {
  it('tell what is open and for how long, and end in time', () => {
    begin([{ network: '10.0.0.0/24', seconds: 60 }, { network: '10.9.0.7' }]);
    vi.advanceTimersByTime(20_000);
    expect(openings.now).toEqual([
      { network: '10.0.0.0/24', remainingMs: 40_000 },
      { network: '10.9.0.7', remainingMs: -1 },
    ]);
    vi.advanceTimersByTime(40_000);
    expect(openings.now).toEqual([{ network: '10.9.0.7', remainingMs: -1 }]);
    expect([openings.admits(from('10.0.0.5')), openings.admits(from('10.9.0.7')), cuts]).toEqual([false, true, 1]);
    expect(lines.at(-1)).toBe('WARNING port 2222 is no longer open to 10.0.0.0/24: its 60 s are over; connections closed: 1\n');
  });

  it('come and go while the task runs', () => {
    begin();
    const opening = { network: 'fd00::/8', seconds: 60 };
    openings.open(opening);
    expect(openings.admits(from('fd00::7'))).toBe(true);
    openings.close(opening, 'it was closed');
    openings.close(opening, 'it was closed');
    expect([openings.admits(from('fd00::7')), openings.now, cuts]).toEqual([false, [], 1]);
    vi.advanceTimersByTime(60_000);
    expect(lines).toEqual([
      'WARNING port 2222 is open, in plain text, to fd00::/8 for 60 s\n',
      'WARNING port 2222 is no longer open to fd00::/8: it was closed; connections closed: 1\n',
    ]);
  });
});

describe('a task with a file of openings', () => {
  let folder: string;
  let path: string;
  let watch: OpeningWatch | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-openings-'));
    path = join(folder, 'opening.json');
    begin();
  });
  afterEach(() => {
    watch?.dispose();
    rmSync(folder, { recursive: true });
  });

  const start = (): void => {
    watch = new OpeningWatch({ path, openings, log });
  };
  const isOpen = (): boolean => openings.admits(from('10.0.0.5'));
  const ask = (seconds: number) => writeOpening(path, requestOpening('10.0.0.0/24', seconds));

  it('is opened by it within a second or two, and closed when it is gone', async () => {
    start();
    await ask(900);
    expect(isOpen()).toBe(false);
    vi.advanceTimersByTime(1000);
    expect([isOpen(), openings.now]).toEqual([true, [{ network: '10.0.0.0/24', remainingMs: 899_000 }]]);
    await removeOpening(path);
    vi.advanceTimersByTime(1000);
    expect([isOpen(), cuts]).toEqual([false, 1]);
  });

  it('takes another opening in place of the first', async () => {
    await ask(900);
    start();
    await writeOpening(path, requestOpening('10.1.0.0/16', 60));
    vi.advanceTimersByTime(1000);
    expect(openings.now.map(({ network }) => network)).toEqual(['10.1.0.0/16']);
    expect(lines.join('')).toContain('another opening takes its place');
  });

  it('ends it by itself, and it does not begin anew when the clock is set back', async () => {
    await ask(60);
    start();
    vi.setSystemTime(Date.now() - HOUR);
    vi.advanceTimersByTime(59_000);
    expect(isOpen()).toBe(true);
    vi.advanceTimersByTime(2000);
    expect(isOpen()).toBe(false);
    vi.advanceTimersByTime(5000);
    expect([isOpen(), cuts]).toEqual([false, 1]);
  });

  it('ends it when the machine wakes up after its end', async () => {
    await ask(60);
    start();
    vi.setSystemTime(Date.now() + HOUR);
    vi.advanceTimersByTime(1000);
    expect(isOpen()).toBe(false);
  });

  it('opens for as long as was asked at most, however far away the end seems to be', async () => {
    await ask(60);
    vi.setSystemTime(Date.now() - HOUR);
    start();
    vi.advanceTimersByTime(60_000);
    expect(isOpen()).toBe(false);
  });

  it.each<[string, (asked: RequestedOpening) => RequestedOpening, number[]]>([
    ['by the clock', (asked) => ({ ...asked, end: Date.now() + 20_000 }), [20]],
    ['by the uptime, whatever the clock says', (asked) => ({ ...asked, endUptime: uptime() + 10 }), [10]],
    ['by the uptime, which is over', (asked) => ({ ...asked, endUptime: 0 }), []],
    ['by the clock, where no uptime is told', (asked) => ({ ...asked, endUptime: undefined }), [60]],
  ])('is opened for the rest when it is started later: %s', async (_, change, left) => {
    await writeOpening(path, change(requestOpening('10.0.0.0/24', 60)));
    start();
    expect(openings.now.map(({ remainingMs }) => remainingMs / 1000)).toEqual(left);
  });

  it('stays closed when the end is over already', async () => {
    await ask(60);
    vi.setSystemTime(Date.now() + HOUR);
    start();
    expect([isOpen(), lines]).toEqual([false, []]);
  });

  it.each([
    '{',
    '[]',
    'null',
    '{"network":"lan","seconds":60,"end":9e15}',
    '{"network":"10.0.0.0/24","seconds":28801,"end":9e15}',
    '{"network":"10.0.0.0/24","seconds":60}',
    '{"network":"10.0.0.0/24","seconds":60,"end":9e15,"endUptime":"9"}',
  ])('is closed by what it cannot read, and says so once: %s', async (text) => {
    await ask(60);
    start();
    writeFileSync(path, text);
    vi.advanceTimersByTime(5000);
    expect(isOpen()).toBe(false);
    expect(lines.filter((line) => line.includes('nothing is opened by'))).toHaveLength(1);
  });
});

it.each([0, -1, 1.5, 28_801, Number.NaN])('refuses an opening for %d seconds', (seconds) => {
  expect(() => requestOpening('10.0.0.0/8', seconds)).toThrow(expect.objectContaining({ code: Code.INVALID_ARGUMENT }));
});
