import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CoreProcess } from '../../../../main/app/core-process.ts';

/** A core that sends every byte back, throws when a frame begins with 1, and writes nonsense when it begins with 2. */
const echo = `
const { Socket } = require('node:net');
const input = new Socket({ fd: 3, readable: true, writable: false });
const output = new Socket({ fd: 4, readable: false, writable: true });
input.on('data', (bytes) => {
  if (bytes[8] === 1) throw new RangeError('out of reach');
  output.write(bytes[8] === 2 ? Buffer.alloc(8, 0xff) : bytes);
});
input.on('end', () => process.exit(0));
`;

let folder: string;
let core: CoreProcess | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanflow-core-'));
  writeFileSync(join(folder, 'core.cjs'), echo);
});
afterEach(() => core?.stop());
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts it, and lets a test wait for what it reports, in order. */
function start(node = process.execPath): { next(): Promise<unknown> } {
  const reports: unknown[] = [];
  const waiting: ((report: unknown) => void)[] = [];
  const report = (value: unknown): void => {
    const next = waiting.shift();
    if (next) next(value);
    else reports.push(value);
  };
  core = new CoreProcess(
    { node, entry: join(folder, 'core.cjs') },
    {
      onPacket: ({ window, frame }) => report({ window, frame: [...frame] }),
      onStarted: () => report('started'),
      onEnded: (reason, restarts) => report({ reason, restarts }),
      onStderr: () => {},
    },
  );
  core.start();
  return { next: () => (reports.length > 0 ? Promise.resolve(reports.shift()) : new Promise((resolve) => waiting.push(resolve))) };
}

const frame = (window: number, ...bytes: number[]) => ({ window, frame: Uint8Array.from(bytes) });

describe('the core process', () => {
  it('passes packets both ways, also empty ones', async () => {
    const { next } = start();
    expect(await next()).toBe('started');
    core?.send(frame(7, 5, 6));
    expect(await next()).toEqual({ window: 7, frame: [5, 6] });
    core?.send(frame(8));
    expect(await next()).toEqual({ window: 8, frame: [] });
  });

  it('is started again once when it crashes, then waits for the user', async () => {
    const { next } = start();
    await next();
    core?.send(frame(1, 1));
    expect(await next()).toEqual({ reason: 'RangeError: out of reach', restarts: true });
    expect(await next()).toBe('started');
    core?.send(frame(1, 1));
    expect(await next()).toEqual({ reason: 'RangeError: out of reach', restarts: false });
    expect(core?.isRunning).toBe(false);
    core?.start();
    expect(await next()).toBe('started');
  });

  it('ends when its pipe is closed, and that is no crash', async () => {
    const { next } = start();
    await next();
    await core?.stop();
    expect(core?.isRunning).toBe(false);
    core?.start();
    expect(await next()).toBe('started');
  });

  it('is replaced when it writes what is no packet', async () => {
    const { next } = start();
    await next();
    core?.send(frame(1, 2));
    expect(await next()).toEqual({ reason: expect.stringContaining('out of step'), restarts: true });
    expect(await next()).toBe('started');
  });

  it('can be stopped while it is still starting', async () => {
    start();
    await core?.stop();
    expect(core?.isRunning).toBe(false);
  });

  it('drops packets while there is none', () => {
    start();
    expect(() => core?.send(frame(1, 5))).not.toThrow();
  });

  it('says which Node is missing', async () => {
    const { next } = start('/nowhere/node');
    expect(await next()).toEqual({ reason: 'It cannot be run by /nowhere/node: spawn /nowhere/node ENOENT', restarts: true });
    expect(await next()).toMatchObject({ restarts: false });
  });
});
