import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SharedCore } from '../../../../main/app/shared-core.ts';

/** A core that sends back every packet, one of another window besides, and its arguments and a variable at first. */
const echo = `
const { Socket } = require('node:net');
const output = new Socket({ fd: 4, readable: false, writable: true });
const packet = (window, frame) => { const head = Buffer.alloc(8); head.writeUInt32LE(frame.length, 0); head.writeUInt32LE(window, 4); return Buffer.concat([head, frame]); };
output.write(packet(1, Buffer.from(process.argv.slice(2).join() + process.env.OF_HOST)));
const input = new Socket({ fd: 3, readable: true, writable: false });
input.on('data', (bytes) => output.write(bytes));
input.on('end', () => process.exit(0));
`;

describe('a core that several share', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-shared-'));
    writeFileSync(join(folder, 'core.cjs'), echo);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('answers each of them alone, and nobody who has left', async () => {
    const told = new EventEmitter();
    const core = new SharedCore(
      { node: process.execPath, entry: join(folder, 'core.cjs'), args: ['--a', 'b'], env: { OF_HOST: '!' } },
      { onStarted: () => told.emit('started'), onEnded: () => {}, onStderr: () => {} },
    );
    const listen = (name: string) => core.connect((frame) => told.emit(name, Buffer.from(frame).toString()));
    const [first, second] = [listen('first'), listen('second')];
    const greeting = once(told, 'first');
    core.start();
    await once(told, 'started');
    expect(await greeting).toEqual(['--a,b!']);

    second.send(Buffer.from('2'));
    expect(await once(told, 'second')).toEqual(['2']);
    first.close();
    const heard: unknown[] = [];
    told.on('first', (text) => heard.push(text));
    first.send(Buffer.from('1'));
    second.send(Buffer.from('3'));
    expect(await once(told, 'second')).toEqual(['3']);
    expect(heard).toEqual([]);
    await core.stop();
    expect(core.isRunning).toBe(false);
  });
});
