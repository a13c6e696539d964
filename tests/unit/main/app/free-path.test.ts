import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePath } from '../../../../main/app/free-path.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanflow-free-path-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is the name itself when it is free, and the first free number otherwise', () => {
  expect(freePath(folder, 'loss.csv')).toBe(join(folder, 'loss.csv'));
  for (const taken of ['loss.csv', 'loss (2).csv']) writeFileSync(join(folder, taken), '');
  expect(freePath(folder, 'loss.csv')).toBe(join(folder, 'loss (3).csv'));
  expect(freePath(folder, 'run.lanflow.zip')).toBe(join(folder, 'run.lanflow.zip'));
});
