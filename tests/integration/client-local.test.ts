import { afterEach, expect, it } from 'vitest';
import { Graph, LocalTask, Session, toNumber } from '../../main/client/index.ts';

const opened: Session[] = [];
const local = (graph: Graph): Session => {
  const session = new Session(undefined, { graph });
  opened.push(session);
  return session;
};

afterEach(async () => {
  await Promise.all(opened.splice(0).map((session) => session.close()));
});

it('sessions without a target share nothing', async () => {
  const g = new Graph();
  const v = g.variable('var', 0);
  const [first, second] = [local(g), local(g)];
  await Promise.all([first, second].map((session) => session.run(v.initializer)));
  expect(toNumber(await first.run(v.assignAdd(1)))).toBe(1);
  expect(toNumber(await second.run(v.assignAdd(2)))).toBe(2);
  expect(toNumber(await first.run(v))).toBe(1);
});

it('a private task ends with its session', async () => {
  const task = await LocalTask.start();
  const { pid } = task;
  await task.stop();
  expect(() => process.kill(pid ?? 0, 0)).toThrow();
});

it('says where the task program should be', async () => {
  await expect(LocalTask.start({ bundle: '/nowhere/task.js' })).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
});

it('passes on what a task says that cannot start', async () => {
  await expect(LocalTask.start({ job: 'nobody' })).rejects.toMatchObject({
    codeName: 'UNAVAILABLE',
    message: expect.stringContaining('nobody'),
  });
});
