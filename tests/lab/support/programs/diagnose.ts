/** Listens to the LAN for a moment, then prints the diagnosis of the target of its first argument (JSON) as JSON. */
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { diagnose } from '../../../../main/machines/diagnosis/diagnose.ts';
import type { AgentHello } from '../../../../main/machines/diagnosis/facts.ts';
import { Discovery } from '../../../../main/machines/discovery/discovery.ts';

const LISTEN_MS = 1800;
const ignore = (): void => undefined;

/** As the program `advertise` answers. */
async function hello(host: string, port: number): Promise<AgentHello | undefined> {
  const said = await text(connect({ host, port })).catch((error: Error) => error.message);
  if (!said.startsWith('{')) return undefined;
  const { version, lab, time } = JSON.parse(said);
  return { version, lab, clockOffset: time - Date.now() };
}

const { target, version = '0.1.0', lab = '' } = JSON.parse(process.argv[2] ?? '');
const discovery = new Discovery({ onMachine: ignore, onInstallable: ignore, onProblem: ignore });
discovery.start();
await sleep(LISTEN_MS);
const own = { version, lab, platform: process.platform };
const signal = new AbortController().signal;
console.log(JSON.stringify(await diagnose({ target, port: 7450, discovery, interfaces: networkInterfaces(), own, hello, signal })));
await discovery.close();
process.exit(0);
