import { afterEach, expect, it } from 'vitest';
import { advertise, browse, sleep, timed } from '../support/discovery.ts';
import { createLab, type Lab, type LabOptions } from '../support/lab.ts';
import { subnetOf } from '../support/network.ts';
import { describeLab } from '../support/requirements.ts';

let lab: Lab | undefined;

async function make(options: LabOptions): Promise<Lab> {
  lab = await createLab(options);
  return lab;
}

afterEach(async () => {
  await lab?.destroy();
  lab = undefined;
});

describeLab('what happens to machines is seen', () => {
  it('when their agent says goodbye', async () => {
    const made = await make({ machines: 2 });
    const agent = await advertise(made.machine('pc1'));
    const browser = await browse(made.machine('pc2'));
    await browser.event('up');
    const lost = browser.event('lost');
    agent.kill('SIGTERM');
    expect(await timed(lost)).toBeLessThan(1000);
    expect((await lost).machine).toMatchObject({ machine: 'id-pc1', isHere: false });
  });

  it('when they vanish, as soon as what they said is no longer valid', async () => {
    const made = await make({ machines: 3 });
    await advertise(made.machine('pc1'), { ttl: 6 });
    await advertise(made.machine('pc3'), { ttl: 6 });
    const browser = await browse(made.machine('pc2'));
    await Promise.all(['id-pc1', 'id-pc3'].map((id) => browser.event('up', ({ machine }) => machine.machine === id)));
    await made.machine('pc1').disappear();
    const vanished = Date.now();
    const { machine } = await browser.event('lost');
    expect(machine.machine).toBe('id-pc1');
    expect(Date.now() - vanished).toBeLessThan(8000);
    expect(machine.seenAt).toBeGreaterThan(vanished - 7000);
    expect(machine.seenAt).toBeLessThan(vanished + 1000);
    // The other one is asked again before its time is over.
    const lost = browser.event('lost').then(() => 'lost');
    expect(await Promise.race([lost, sleep(8000)])).toBeUndefined();
  });

  it('when their agent is killed and started again on another port', async () => {
    const made = await make({ machines: 2 });
    const agent = await advertise(made.machine('pc1'));
    const browser = await browse(made.machine('pc2'));
    await browser.event('up');
    agent.kill('SIGKILL');
    await agent.ended;
    const start = performance.now();
    await advertise(made.machine('pc1'), { port: 7460 });
    const { machine } = await browser.event('changed', ({ isRestarted }) => isRestarted);
    expect(machine).toMatchObject({ machine: 'id-pc1', port: 7460, title: 'pc1' });
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('when they get another address or name', async () => {
    const made = await make({ machines: 2 });
    const pc1 = made.machine('pc1');
    const agent = await advertise(pc1);
    const browser = await browse(made.machine('pc2'));
    await browser.event('up');
    await pc1.shell(`ip address del ${pc1.address()}/24 dev eth0 && ip address add ${subnetOf()}.99/24 dev eth0`);
    const { machine } = await browser.event('changed', (event) => !event.machine.addresses.includes(pc1.address()));
    expect(machine.addresses).toEqual([`${subnetOf()}.99`]);
    agent.write(JSON.stringify({ name: 'renamed' }));
    expect((await browser.event('changed', (event) => event.machine.name === 'renamed')).isRestarted).toBe(false);
  });

  it('when the network goes and comes back, on either side', async () => {
    const made = await make({ machines: 2 });
    await advertise(made.machine('pc1'), { ttl: 6 });
    const browser = await browse(made.machine('pc2'));
    await browser.event('up');
    await made.machine('pc2').unplug();
    expect((await browser.event('problem')).code).toBe('no network');
    await browser.event('lost');
    await made.machine('pc2').plug();
    expect((await browser.event('problem')).code).toBe('none');
    expect(await timed(browser.event('up'))).toBeLessThan(10_000);
    // A new card with the address of the old one.
    const pc1 = made.machine('pc1');
    await pc1.shell('ip link del eth0');
    await browser.event('lost');
    await pc1.connect('lan', 'eth0');
    expect(await timed(browser.event('up'))).toBeLessThan(10_000);
  });

  it('when there was no network at the start', async () => {
    const made = await make({
      machines: [
        { name: 'pc1', networks: [] },
        { name: 'pc2', networks: [] },
      ],
    });
    const agent = await advertise(made.machine('pc1'));
    await agent.line((line) => line.startsWith('No network'));
    const browser = await browse(made.machine('pc2'));
    expect(await browser.event('problem')).toMatchObject({ code: 'no network', message: expect.stringContaining('cable') });
    await Promise.all(made.machines.map((machine) => machine.connect('lan')));
    expect(await timed(browser.event('up'))).toBeLessThan(10_000);
  });
});
