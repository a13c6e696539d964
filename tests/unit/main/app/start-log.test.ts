import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStartLog } from '../../../../main/app/start-log.ts';

describe('the log of a start', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-log-'));
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterAll(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  it('begins anew each time, and has the time of each line', () => {
    const path = join(folder, 'deep', 'start.log');
    openStartLog(path, 'an earlier start')('went wrong');
    openStartLog(path, 'this start')('the core has ended');
    expect(readFileSync(path, 'utf8')).toMatch(/^\d{4}-\S+Z this start\n\d{4}-\S+Z the core has ended\n$/);
  });

  it('that cannot be written keeps nobody from starting', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const log = openStartLog(join(file, 'start.log'), 'this start');
    expect(() => log('more')).not.toThrow();
    expect(process.stderr.write).toHaveBeenCalledWith(expect.stringContaining('cannot be written'));
  });
});
