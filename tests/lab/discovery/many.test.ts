import { expect, it } from 'vitest';
import { advertise, browse, sleep } from '../support/discovery.ts';
import { createLab } from '../support/lab.ts';
import { describeLab } from '../support/requirements.ts';

const COUNT = 20;

describeLab('a room full of machines', () => {
  it('is seen at once', async () => {
    const lab = await createLab({ machines: COUNT + 1 });
    try {
      const [app, ...rooms] = lab.machines;
      if (!app) throw new Error('The lab has machines');
      await Promise.all(rooms.map((machine) => advertise(machine)));
      await sleep(5000);
      const start = performance.now();
      const browser = await browse(app);
      for (const { name } of rooms) await browser.event('up', ({ machine }) => machine.name === name);
      expect(performance.now() - start).toBeLessThan(5000);
    } finally {
      await lab.destroy();
    }
  });
});
