import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PrivateAgent } from '../../../../main/machines/private-agent.ts';

describe('a private agent', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-private-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** A program in the agent's place. */
  async function start(source: string): Promise<PrivateAgent> {
    const program = join(folder, 'agent.mjs');
    await writeFile(program, source);
    return PrivateAgent.start({ program, dataFolder: folder, log: () => undefined });
  }

  it('that is missing is named', async () => {
    const program = join(folder, 'nowhere.js');
    const started = PrivateAgent.start({ program, dataFolder: folder, log: () => undefined });
    await expect(started).rejects.toMatchObject({ codeName: 'NOT_FOUND', message: expect.stringContaining(program) });
  });

  it.each([
    [
      "console.error('lanflow agent: PERMISSION_DENIED: /x cannot be written'); process.exit(1)",
      'PERMISSION_DENIED',
      '/x cannot be written',
    ],
    ["console.error('SyntaxError: odd'); process.exit(3)", 'UNAVAILABLE', 'The agent ended at once (exit code 3): SyntaxError: odd'],
    ['process.kill(process.pid)', 'UNAVAILABLE', 'The agent ended at once (SIGTERM): it said nothing'],
  ])('that ends with %j rejects with %s', async (source, codeName, message) => {
    await expect(start(source)).rejects.toMatchObject({ codeName, message });
  });

  it('is waited for when it is let go, unless it goes on for others', async () => {
    const alone = await start("console.log('ready x'); process.stdin.resume().on('end', () => setTimeout(process.exit, 300))");
    const began = performance.now();
    await alone.close();
    expect(performance.now() - began).toBeGreaterThan(250);
    const shared = await start(
      "console.log('ready x'); process.stdin.resume().on('end', () => { console.log('kept'); setTimeout(process.exit, 2000); })",
    );
    const then = performance.now();
    await shared.close();
    expect(performance.now() - then).toBeLessThan(1500);
  });
});
