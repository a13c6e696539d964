import { afterEach, expect, it } from 'vitest';
import { advertise, browse, sleep, timed } from '../support/discovery.ts';
import { createLab, type Lab, type LabOptions } from '../support/lab.ts';
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

describeLab('machines are found', () => {
  it('when they were there long before the app, on a switch without any router', async () => {
    const made = await make({ machines: 2 });
    await advertise(made.machine('pc1'), { fingerprint: 'ab'.repeat(32), lab: 'cd'.repeat(8) });
    // Its announcements at the start are over.
    await sleep(5000);
    const browser = await browse(made.machine('pc2'));
    const up = browser.event('up');
    expect(await timed(up)).toBeLessThan(3000);
    expect((await up).machine).toMatchObject({
      machine: 'id-pc1',
      title: 'pc1',
      port: 7450,
      versions: { lanflow: '0.1.0' },
      fingerprint: 'ab'.repeat(32),
      lab: 'cd'.repeat(8),
      isHere: true,
    });
    expect((await up).machine.addresses[0]).toBe(made.machine('pc1').address());
  });

  it('when they start after the app, on a network with small packets', async () => {
    const made = await make({ machines: 2, networks: { lan: { mtu: 576 } } });
    const browser = await browse(made.machine('pc2'));
    await sleep(1500);
    await advertise(made.machine('pc1'), { fingerprint: 'ab'.repeat(32), lab: 'cd'.repeat(32), name: 'ä'.repeat(60) });
    expect(await timed(browser.event('up'))).toBeLessThan(3000);
  });

  it('on two networks at once, and each one once', async () => {
    const machines = [
      { name: 'app', networks: ['left', 'right'] },
      { name: 'l', networks: ['left'] },
      { name: 'r', networks: ['right'] },
      { name: 'both', networks: ['right', 'left'] },
    ];
    const made = await make({ machines, networks: { left: {}, right: {} } });
    for (const name of ['l', 'r', 'both']) await advertise(made.machine(name));
    const browser = await browse(made.machine('app'));
    const found = await Promise.all(['id-l', 'id-r', 'id-both'].map((id) => browser.event('up', ({ machine }) => machine.machine === id)));
    expect(found[0]?.machine.addresses).toEqual([made.machine('l').address()]);
    expect(found[1]?.machine.addresses).toEqual([made.machine('r').address()]);
    const both = [made.machine('both').address('left'), made.machine('both').address('right')].sort();
    if (found[2]?.machine.addresses.length !== 2) {
      expect((await browser.event('changed')).machine.addresses).toEqual(both);
    } else expect(found[2].machine.addresses).toEqual(both);
    const again = browser.event('up').then(() => 'told twice');
    expect(await Promise.race([again, sleep(2000)])).toBeUndefined();
  });

  it('where there is nothing but link-local IPv6', async () => {
    const made = await make({ machines: 2, networks: { lan: { subnet: null } } });
    await advertise(made.machine('pc1'));
    const { machine } = await (await browse(made.machine('pc2'))).event('up');
    expect(machine.addresses).toEqual([expect.stringMatching(/^fe80::.*%eth0$/)]);
    const connect = "require('node:net').connect(process.argv[1], process.argv[2]).on('connect', () => process.exit())";
    const { code } = await made.machine('pc2').exec(process.execPath, ['-e', connect, String(machine.port), machine.addresses[0] ?? '']);
    expect(code).toBe(0);
  });

  it('under two names when two are called the same', async () => {
    const machines = ['a', 'b'].map((name) => ({ name, hostName: 'lab-pc' }));
    const made = await make({ machines: [...machines, { name: 'app' }] });
    await advertise(made.machine('a'));
    const browser = await browse(made.machine('app'));
    expect((await browser.event('up')).machine.title).toBe('lab-pc');
    // Two agents of one machine, of two users, are two as well.
    const second = await advertise(made.machine('b'));
    expect((await browser.event('up')).machine).toMatchObject({ machine: 'id-b', title: 'lab-pc (2)', name: 'lab-pc' });
    const third = await advertise(made.machine('b'), { machine: 'id-b-other-user', port: 7451 });
    expect((await browser.event('up')).machine).toMatchObject({ machine: 'id-b-other-user', title: 'lab-pc (3)' });
    for (const child of [second, third]) child.kill('SIGTERM');
    expect(await Promise.all([second.ended, third.ended])).toEqual([0, 0]);
  });

  it('without the address of their Docker bridge, which every host has', async () => {
    const made = await make({ machines: 2 });
    for (const machine of made.machines) {
      await machine.shell('ip link add docker0 type bridge && ip address add 172.17.0.1/16 dev docker0 && ip link set docker0 up');
      // A bridge is up only with something on it.
      await machine.shell('ip link add veth1 type veth peer name veth2 && ip link set veth1 master docker0 up && ip link set veth2 up');
    }
    expect(await made.machine('pc1').shell(`${process.execPath} -p 'os.networkInterfaces().docker0[0].address'`)).toBe('172.17.0.1\n');
    await advertise(made.machine('pc1'));
    const { machine } = await (await browse(made.machine('pc2'))).event('up');
    expect(machine.addresses).toEqual([made.machine('pc1').address()]);
  });

  it('and warned when a copied disk has given two of them one id', async () => {
    const made = await make({ machines: 2 });
    const agents = await Promise.all(made.machines.map((machine) => advertise(machine, { machine: 'copied' })));
    const addresses = made.machines.map((machine) => machine.address());
    const warned = await Promise.all(agents.map((agent) => agent.line((line) => line.startsWith('Another machine'))));
    for (const line of warned) expect(line).toContain('as after copying a disk');
    expect(warned.some((line) => addresses.some((address) => line.includes(address)) || line.includes('fe80'))).toBe(true);
  });
});
