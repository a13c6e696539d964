import { afterEach, expect, it } from 'vitest';
import type { TaskChild } from '../../support/task-child.ts';
import { announceSsh, startAvahi } from '../support/avahi.ts';
import { advertise, browse, timed } from '../support/discovery.ts';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { hasAvahi } from '../support/packages.ts';
import { describeLab } from '../support/requirements.ts';

let lab: Lab | undefined;

async function make(): Promise<Lab> {
  lab = await createLab({ machines: 2 });
  return lab;
}

afterEach(async () => {
  await lab?.destroy();
  lab = undefined;
});

async function hold(machine: LabMachine, reuseAddr: boolean): Promise<TaskChild> {
  const script = `for (const type of ['udp4', 'udp6'])
    require('node:dgram').createSocket({ type, reuseAddr: ${reuseAddr}, ipv6Only: type === 'udp6' }).bind(5353, () => console.log(type));`;
  const child = machine.spawn(process.execPath, ['-e', script]);
  await Promise.all(['udp4', 'udp6'].map((type) => child.line((line) => line === type)));
  return child;
}

describeLab('beside other programs on the port of multicast DNS', () => {
  it('works when they share it', async () => {
    const made = await make();
    for (const machine of made.machines) await hold(machine, true);
    await advertise(made.machine('pc1'));
    const browser = await browse(made.machine('pc2'));
    expect(await timed(browser.event('up'))).toBeLessThan(3000);
  });

  it('says so when they do not, and goes on as soon as they end', async () => {
    const made = await make();
    const [first, second] = await Promise.all(made.machines.map((machine) => hold(machine, false)));
    const agent = await advertise(made.machine('pc1'));
    await agent.line((line) => line.includes('5353') && line.includes('added there by its address'));
    const browser = await browse(made.machine('pc2'));
    expect(await browser.event('problem', ({ code }) => code === 'port taken')).toMatchObject({ message: expect.stringContaining('5353') });
    for (const child of [first, second]) child?.kill('SIGKILL');
    expect(await timed(browser.event('up'))).toBeLessThan(15_000);
    agent.kill('SIGTERM');
    browser.child.kill('SIGTERM');
    expect(await Promise.all([agent.ended, browser.child.ended])).toEqual([0, 0]);
  });

  it.skipIf(!hasAvahi())('[needs avahi] works beside avahi, which finds us too and offers machines with SSH', async () => {
    const made = await make();
    const [pc1, pc2] = made.machines;
    if (!pc1 || !pc2) throw new Error('The lab has two machines');
    await announceSsh(pc2, 'Bare machine');
    for (const machine of made.machines) await startAvahi(machine);
    const agent = await advertise(pc1);
    const browser = await browse(pc1);
    await browser.event('up');
    const { machines } = await browser.event('installable', (event) => event.machines.length > 0);
    expect(machines).toEqual([{ name: 'Bare machine', host: 'pc2.local', port: 22, addresses: expect.arrayContaining([pc2.address()]) }]);
    const seen = await pc2.shell('avahi-browse --terminate --resolve --parsable _lanflow._tcp');
    expect(seen).toMatch(new RegExp(`^=;eth0;IPv4;id-pc1;_lanflow._tcp;local;lanflow-id-pc1.local;${pc1.address()};7450;`, 'm'));
    agent.kill('SIGTERM');
    await browser.event('lost');
  });
});
