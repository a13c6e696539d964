/**
 * Announces an agent as it is given in the first argument (JSON), until SIGTERM. A line on standard input is its next announcement.
 * Says `ready`, and what the advertiser logs, on standard output.
 * With `silent` nobody hears of it. At its port it says its version, lab and time.
 */
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Advertiser } from '../../../../task-server/agent/advertise/advertiser.ts';

const { ttl, silent, ...agent } = JSON.parse(process.argv[2] ?? '');
const advertiser = new Advertiser({ log: (line) => console.log(line), dataFolder: process.cwd(), ttl });

createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.end(JSON.stringify({ version: agent.versions.lanflow, lab: agent.lab, time: Date.now() }));
}).listen(agent.port, () => {
  if (!silent) advertiser.start(agent);
  console.log('ready');
});
createInterface(process.stdin).on('line', (line) => advertiser.update({ ...agent, ...JSON.parse(line) }));
process.on('SIGTERM', async () => {
  await advertiser.stop();
  process.exit(0);
});
