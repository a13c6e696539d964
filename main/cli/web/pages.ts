import type { IncomingMessage, ServerResponse } from 'node:http';
import { CONTENT_SECURITY_POLICY } from '#proto/ipc/content-security-policy.ts';
import { readStaticFile } from '../../app/static-files.ts';
import type { Access } from './access.ts';

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const always = {
  'content-type': 'text/plain; charset=utf-8',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
};

const refused = (body: string): Answer => ({ status: 403, body: `${body}\n` });

/** Serves the window's files to whoever has access, and nothing else to anybody. */
export function servePages(folder: string, access: Access): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    answer(request, folder, access).then(
      ({ status, headers, body }) => response.writeHead(status, { ...always, ...headers }).end(request.method === 'HEAD' ? '' : body),
      (error: Error) => response.writeHead(500, always).end(error.message),
    );
  };
}

async function answer({ method, headers, url = '/' }: IncomingMessage, folder: string, access: Access): Promise<Answer> {
  if (!access.isOwnHost(headers)) return refused('This server is for pages of its own address only.');
  if (headers.origin !== undefined && !access.isOwnOrigin(headers)) return refused('Pages of other sites have no access.');
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { allow: 'GET, HEAD' }, body: 'Only GET is served.\n' };
  const { pathname, searchParams, href } = new URL(url, `http://${headers.host}`);
  const token = pathname === '/' ? searchParams.get('token') : null;
  const cookie = token === null ? undefined : access.openSession(token);
  if (cookie !== undefined) return welcome(cookie);
  if (!access.hasSession(headers)) {
    return refused('Open the address that `lanflow web` printed. Its token works once: start `lanflow web` anew for another one.');
  }
  const file = await readStaticFile(folder, pathname === '/' ? new URL('/index.html', href).href : href);
  return file ? { status: 200, headers: { 'content-type': file.type }, body: file.content } : { status: 404, body: 'Not found\n' };
}

/** Goes on to the app from a page of our own: after a redirect from elsewhere browsers would hold a strict cookie back. */
function welcome(cookie: string): Answer {
  const body = '<!doctype html><meta charset="utf-8"><title>Lanflow</title><meta http-equiv="refresh" content="0;url=/">';
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', 'set-cookie': cookie }, body };
}
