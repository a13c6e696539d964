import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'vitest';
import { Graph, Session, toNumber } from '../../../main/client/index.ts';
import type { TaskProcess } from '../../support/task-process.ts';
import { openFiles } from '../support/task-load.ts';

/** How long a connection stays open after the last byte. */
const LINGER_MS = 20;

/** Writes bytes to the port of a task, as they are, and hangs up. Resolves to what the task said meanwhile. */
export async function say(task: TaskProcess, ...pieces: readonly Uint8Array[]): Promise<Buffer> {
  const socket = connect(Number(task.target.split(':').at(-1)), '127.0.0.1');
  const heard: Buffer[] = [];
  socket.on('error', () => undefined); // The task may hang up first.
  socket.on('data', (data: Buffer) => heard.push(data));
  await once(socket, 'connect');
  for (const piece of pieces) socket.write(piece);
  await new Promise((resolve) => setTimeout(resolve, LINGER_MS));
  socket.destroy();
  return Buffer.concat(heard);
}

/** The task serves, and has met nothing that it did not foresee. */
export async function expectHealth(task: TaskProcess): Promise<void> {
  const graph = new Graph();
  const sum = graph.add(1, 2);
  const session = new Session(task.target, { graph });
  expect(toNumber(await session.run(sum, { timeoutMs: 5000 }))).toBe(3);
  await session.close();
  expect(task.stderr()).not.toMatch(/bug:|heap/);
}

/** HTTP/2 in Node does not notice that the other side of a broken connection has hung up; the keepalive of gRPC does. */
const KEEPALIVE_MS = 60_000;

/** No connection is left open. */
export async function expectAllClosed(task: TaskProcess, filesBefore: number): Promise<void> {
  const begin = openFiles(task.pid);
  await expect.poll(() => openFiles(task.pid), { timeout: KEEPALIVE_MS + 15_000, interval: 1000 }).toBeLessThanOrEqual(filesBefore);
  console.log(`open files: ${filesBefore} before, ${begin} after, ${openFiles(task.pid)} in the end`);
}
