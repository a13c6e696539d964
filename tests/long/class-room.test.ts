import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CORE, lanflow, startAgent } from '../lab/machines/support.ts';
import { createLab, type Lab } from '../lab/support/lab.ts';
import type { LabMachine } from '../lab/support/machine.ts';
import { program } from '../lab/support/program.ts';
import { describeLab } from '../lab/support/requirements.ts';

const MACHINES = 60;
/** Clients of a program share two cores with all machines here; so many leave the machines enough. */
const TRAINED = 30;
const PIN = /^pairing PIN (\d{3} \d{3})$/m;
const PARTS = ['paired', 'online', 'all started', 'devices of all', 'all stopped', 'some started', 'demo on some', 'some stopped'];

/** As many machines are switched on at the same time. */
const GROUP = 6;
/** They have been on for a while when the app is opened. */
const SETTLED_MS = 20_000;

/** All machines share the kernel's one table of neighbours, which each of them would have for itself. */
const NEIGHBOURS = [1, 2, 3].map((level) => `/proc/sys/net/ipv4/neigh/default/gc_thresh${level}`);
const ENOUGH = String(4 * MACHINES ** 2);

/** At the machine itself. */
async function askPin(machine: LabMachine): Promise<string> {
  return PIN.exec(await lanflow(machine, 'agent', '--pin'))?.[1] ?? '';
}

/** The figures for a class room in docs/install.md come from here. */
describeLab(`a class room of ${MACHINES} machines`, () => {
  let lab: Lab;
  let rooms: readonly LabMachine[];
  const before = new Map<string, string>();

  beforeAll(async () => {
    for (const path of NEIGHBOURS) {
      before.set(path, readFileSync(path, 'utf8'));
      writeFileSync(path, ENOUGH);
    }
    lab = await createLab({ machines: MACHINES + 1 });
    rooms = lab.machines.slice(1);
    for (let at = 0; at < MACHINES; at += GROUP) await Promise.all(rooms.slice(at, at + GROUP).map((machine) => startAgent(machine)));
    await sleep(SETTLED_MS);
  });

  afterAll(async () => {
    await lab?.destroy();
    for (const [path, value] of before) writeFileSync(path, value);
  });

  it('is found within 15 s, taken into a lab, and trains', async () => {
    const [desk] = lab.machines;
    const app = desk?.spawn(process.execPath, [program('class-room'), CORE, String(MACHINES), String(TRAINED)]);
    if (!app) throw new Error('The lab has machines');
    const figures: Record<string, number> = {};
    const hear = async (part: string): Promise<void> => {
      figures[part] = JSON.parse(await app.line((line) => line.startsWith(`{"part":"${part}"`))).seconds;
    };
    await hear('found');
    for (const machine of rooms) app.write(`${machine.name} ${await askPin(machine)}`);
    for (const part of PARTS) await hear(part);
    const result = JSON.parse(await app.line((line) => line.startsWith('{"part":"result"')));
    console.log(figures, result);
    expect(figures['found']).toBeLessThan(15);
    expect(result).toMatchObject({ devices: MACHINES, state: 'finished', problems: [], left: 0 });
    // Its core may need longer here than a shell would wait for it; everything is on disk by then.
    await app.ended;
  });
});
