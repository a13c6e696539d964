import { describe, expect, it } from 'vitest';
import { checkWhere, workLocally } from '../../../../main/cli/local-work.ts';
import { unavailable } from '../../../../proto/wire/status.ts';

describe('the machines of a command', () => {
  it('are hosts or this one, not both and not none', () => {
    expect(() => checkWhere('install', ['pc1'], {})).not.toThrow();
    expect(() => checkWhere('uninstall', [], { here: true })).not.toThrow();
    expect(() => checkWhere('install', ['pc1', 'pc2'], { here: true })).toThrow('--here means this machine alone; leave out pc1 pc2');
    expect(() => checkWhere('uninstall', [], {})).toThrow('lanflow uninstall HOST…, or lanflow uninstall --here for this one');
  });
});

describe('work on this machine', () => {
  function terminal() {
    const [printed, shown]: [string[], string[]] = [[], []];
    const note = (text: string): void => void shown.push(text.replace(/^[^:]+/, 'HOST'));
    return {
      ...{ printed, shown },
      context: {
        terminal: { print: (text: string) => void printed.push(text), log: note, progress: note, glimpse: note },
        fail: () => void shown.push('failed'),
      },
    };
  }
  const { signal } = new AbortController();

  it('is told as it goes, then what is there', async () => {
    const { context, printed, shown } = terminal();
    await workLocally(context, {
      ...{ kind: 'install', flags: { here: true }, signal },
      work: async ({ onProgress }) => {
        onProgress({ stage: 'probing' });
        onProgress({ stage: 'probing' });
        onProgress({ stage: 'uploading', fraction: 0.5 });
        return 'It runs';
      },
    });
    expect(shown).toEqual(['HOST: probing', 'HOST: uploading 50 %', 'HOST: done: It runs']);
    expect(printed).toEqual([expect.stringMatching(/: done: It runs$/)]);
  });

  it('that fails is told as JSON too, and fails the command', async () => {
    const { context, printed, shown } = terminal();
    const work = (): Promise<string> => Promise.reject(unavailable('No disk'));
    await workLocally(context, { kind: 'uninstall', flags: { here: true, json: true }, signal, work });
    expect(JSON.parse(printed.join(''))).toMatchObject([{ kind: 'uninstall', stage: 'failed', message: 'No disk' }]);
    expect(shown.at(-1)).toBe('failed');
  });

  it('ends when the command is stopped', async () => {
    const { context, printed } = terminal();
    const stop = new AbortController();
    const work = ({ signal: stopped }: { signal: AbortSignal }): Promise<string> =>
      new Promise((_, reject) => {
        stopped.addEventListener('abort', () => reject(stopped.reason));
        stop.abort();
      });
    await workLocally(context, { kind: 'install', flags: { here: true }, signal: stop.signal, work });
    expect(printed).toEqual([expect.stringMatching(/: cancelled: Cancelled; the machine is as it was before$/)]);
  });
});
