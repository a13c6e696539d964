import { expect, it } from 'vitest';
import { Slots } from '../../../../main/install/slots.ts';

it('a few work at the same time, the others in turn', async () => {
  const slots = new Slots(2);
  const order: number[] = [];
  const take = async (name: number): Promise<void> => {
    await slots.take();
    order.push(name);
  };
  await Promise.all([take(1), take(2)]);
  const waiting = [take(3), take(4)];
  await Promise.resolve();
  expect(order).toEqual([1, 2]);
  slots.give();
  await waiting[0];
  slots.give();
  await waiting[1];
  expect(order).toEqual([1, 2, 3, 4]);
});
