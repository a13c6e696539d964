import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createFrameCodec } from '#proto/ipc/codec.ts';
import { FRAMES_PATH } from '#proto/ipc/frames.ts';
import { runCli } from '../../support/cli.ts';

const cli = fileURLToPath(new URL('../../../dist/cli/index.js', import.meta.url));

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('lanflow web', () => {
  let folder: string;
  let child: ChildProcess;
  let address: URL;
  let cookie = '';

  const ask = (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: address.port, path, headers, method }, async (response) => {
        let body = '';
        for await (const chunk of response) body += chunk;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
      asked.once('error', reject).end();
    });
  const openSocket = (headers: Record<string, string>, path = FRAMES_PATH): Promise<WebSocket> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${address.port}${path}`, { headers });
      socket.once('open', () => resolve(socket)).once('error', reject);
    });
  const own = () => ({ cookie, origin: `http://127.0.0.1:${address.port}` });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-web-'));
    const env = { ...process.env, LANFLOW_DATA: folder };
    child = spawn(process.execPath, [cli, 'web'], { stdio: ['ignore', 'pipe', 'inherit'], env });
    const [line] = (await once(child.stdout?.setEncoding('utf8') as NodeJS.EventEmitter, 'data')) as [string];
    expect(line).toMatch(/^open http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}\n$/);
    address = new URL(line.trim().slice('open '.length));
  });
  afterAll(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    await rm(folder, { recursive: true });
  });

  it('refuses everything before the token was used', async () => {
    for (const path of ['/', '/index.html', '/?token=', '/?token=wrong']) expect((await ask(path)).status).toBe(403);
    await expect(openSocket(own())).rejects.toThrow('403');
  });

  it('takes the token once, for a cookie that scripts and other sites do not get', async () => {
    const path = `/${address.search}`;
    expect((await ask(path, { host: 'evil.example' })).status).toBe(403);
    expect((await ask(path, { origin: 'http://evil.example' })).status).toBe(403);
    const { status, headers } = await ask(path);
    expect(status).toBe(200);
    const set = headers['set-cookie']?.[0] ?? '';
    expect(set).toMatch(/^lanflow-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    cookie = set.split(';')[0] ?? '';
    expect((await ask(path)).status).toBe(403);
  });

  it('serves the window under a strict policy, and nothing beside it', async () => {
    const { status, headers, body } = await ask('/', { cookie });
    expect(status).toBe(200);
    expect(body).toContain('<title>Lanflow</title>');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' });
    for (const path of ['/../cli/index.js', '/%2e%2e/cli/index.js', '/..%2fcli%2findex.js', '/nothing.js', '//etc/passwd']) {
      expect((await ask(path, { cookie })).status).toBe(404);
    }
    expect((await ask('/', { cookie }, 'POST')).status).toBe(405);
  });

  it.each([
    ['another origin', () => ({ ...own(), origin: 'http://evil.example' })],
    ['no origin', () => ({ cookie })],
    ['another host', () => ({ ...own(), host: 'evil.example' })],
    ['a name that points here', () => ({ cookie, host: `evil.example:${address.port}`, origin: `http://evil.example:${address.port}` })],
    ['no cookie', () => ({ origin: own().origin })],
    ['a wrong cookie', () => ({ ...own(), cookie: `${cookie.split('=')[0]}=wrong` })],
  ])('refuses frames from %s', async (_, headers) => {
    await expect(openSocket(headers())).rejects.toThrow('403');
  });

  it('takes frames at their path only, and answers calls', async () => {
    await expect(openSocket(own(), '/other')).rejects.toThrow('403');
    const socket = await openSocket(own());
    const codec = createFrameCodec();
    const answer = once(socket, 'message') as Promise<[Buffer]>;
    socket.send(codec.encode({ kind: 'call', id: 7, name: 'app.info', argument: null }));
    expect(codec.decode((await answer)[0])).toMatchObject({ kind: 'result', id: 7, value: { dataFolder: folder } });
    socket.close();
  });

  it('listens on loopback only', async () => {
    const { networkInterfaces } = await import('node:os');
    const outside = Object.values(networkInterfaces()).flatMap((each) =>
      (each ?? []).filter(({ internal, family }) => !internal && family === 'IPv4'),
    );
    for (const { address: host } of outside) {
      const socket = connect({ host, port: Number(address.port) });
      const [error] = await Promise.race([once(socket, 'error'), once(socket, 'connect')]);
      socket.destroy();
      expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    }
  });

  it('says when its port is taken or none', async () => {
    expect((await runCli(['web', '--port', address.port])).stderr).toMatch(/^lanflow web: ALREADY_EXISTS: Port \d+ is in use/);
    expect((await runCli(['web', '--port', 'x'])).stderr).toMatch(/^lanflow web: INVALID_ARGUMENT/);
  });
});
