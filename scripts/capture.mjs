/**
 * Records what genuine TensorFlow puts on the wire: `node scripts/capture.mjs`, after a build, writes tests/fixtures/wire. Two
 * genuine servers know each other, and a Python client knows them, only through proxies that write everything down.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startProxy } from './capture/recording-proxy.mjs';
import { installTensorFlow } from './setup.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const fixtures = `${root}tests/fixtures/wire`;
const tasks = ['ps', 'worker'];

const python = installTensorFlow();
if (!python) throw new Error('Capturing needs a Python with TensorFlow');

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  for (const server of servers) server.close();
  return ports;
}

/** One task each of ps and worker. A task has its own port in its own view of the cluster, the other's proxy instead of the other. */
async function startServer(job, ports) {
  const cluster = Object.fromEntries(tasks.map((each) => [each, [`127.0.0.1:${ports[each][each === job ? 'server' : 'proxy']}`]]));
  const args = ['--cluster', JSON.stringify(cluster), '--job', job, '--task', '0', '--engine', 'tensorflow', '--parent-pipe'];
  const child = spawn('node', [`${root}dist/task-server/index.js`, ...args], {
    env: { ...process.env, LANFLOW_PYTHON: python, TF_CPP_MIN_LOG_LEVEL: '2' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('ready ')) break;
  return child;
}

async function capture() {
  const free = await freePorts(4);
  const ports = Object.fromEntries(tasks.map((job, at) => [job, { server: free[2 * at], proxy: free[2 * at + 1] }]));
  const calls = [];
  const stops = await Promise.all(
    tasks.map((job) => startProxy(ports[job].proxy, `127.0.0.1:${ports[job].server}`, (call) => calls.push({ to: job, ...call }))),
  );
  const servers = await Promise.all(tasks.map((job) => startServer(job, ports)));
  const client = spawn(python, [`${root}scripts/capture/client.py`, `grpc://127.0.0.1:${ports.worker.proxy}`], { stdio: 'inherit' });
  const [code] = await once(client, 'exit');
  for (const server of servers) server.kill();
  for (const stop of stops) stop();
  if (code !== 0) throw new Error(`The client ended with ${code}`);
  return calls;
}

/** RecvTensor → recv-tensor */
const kebab = (name) => name.replace(/(?<=.)[A-Z]/g, '-$&').toLowerCase();

function write(calls) {
  rmSync(fixtures, { recursive: true, force: true });
  mkdirSync(fixtures, { recursive: true });
  for (const method of new Set(calls.map((call) => call.method))) {
    const ofMethod = calls.filter((call) => call.method === method).map(({ method: _, ...rest }) => rest);
    const text = JSON.stringify({ method, calls: ofMethod }, null, 1);
    writeFileSync(`${fixtures}/${kebab(method.split('/').at(-1))}.json`, `${text}\n`);
  }
}

const calls = await capture();
write(calls);
console.log(`${calls.length} calls captured`);
