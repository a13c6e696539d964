import { describe, expect, it } from 'vitest';
import type { ExportRequest } from '#proto/ipc/contract.ts';
import { notFound } from '#proto/wire/status.ts';
import type { Core } from '../../../../renderer/api/core.ts';
import { ExportFiles, filesOf, isBusy, type Parts } from '../../../../renderer/features/runs/export-files.ts';

/** A core whose files have the name of what was asked for. */
function fakeCore(asked: ExportRequest[] = [], fails = false): Pick<Core, 'call'> {
  const call = async (_name: string, request: ExportRequest) => {
    asked.push(request);
    if (fails) throw notFound('The run has no trace');
    return { name: `${request.format} ${request.trace ?? ''}`, content: new Uint8Array(3) };
  };
  // Only one call is made, which TypeScript cannot know of a double.
  return { call: call as unknown as Core['call'] };
}

function choose(core: Pick<Core, 'call'>) {
  const shown: { parts: Parts } = { parts: {} };
  const files = new ExportFiles({ core, run: 'r', publish: (parts) => Object.assign(shown, { parts }) });
  return { files, shown, names: () => filesOf(shown.parts).map(({ name }) => name) };
}

describe('ExportFiles', () => {
  it('makes the file of a format as soon as it is chosen, and forgets it when it is not', async () => {
    const { files, shown, names } = choose(fakeCore());
    const chosen = files.toggle('series.csv', true);
    expect(isBusy(shown.parts)).toBe(true);
    await chosen;
    await files.toggle('bundle', true);
    expect(isBusy(shown.parts)).toBe(false);
    expect(names()).toEqual(['bundle ', 'series.csv ']);
    await files.toggle('bundle', false);
    expect(names()).toEqual(['series.csv ']);
  });

  it('makes the files of a trace again when another one is chosen, and only those', async () => {
    const asked: ExportRequest[] = [];
    const { files, names } = choose(fakeCore(asked));
    await files.useTrace('t2');
    await files.toggle('trace.json', true);
    await files.toggle('bundle', true);
    await files.useTrace('t1');
    expect(asked.map(({ format, trace }) => [format, trace])).toEqual([
      ['trace.json', 't2'],
      ['bundle', undefined],
      ['trace.json', 't1'],
    ]);
    expect(names()).toEqual(['bundle ', 'trace.json t1']);
  });

  it('keeps the error of a format that cannot be had', async () => {
    const { files, shown, names } = choose(fakeCore([], true));
    await files.toggle('trace.pb', true);
    expect(shown.parts['trace.pb']?.error?.message).toBe('The run has no trace');
    expect(isBusy(shown.parts)).toBe(false);
    expect(names()).toEqual([]);
  });
});
