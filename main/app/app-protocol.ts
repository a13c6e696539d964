import type { CustomScheme, Protocol } from 'electron';
import { CONTENT_SECURITY_POLICY } from '#proto/ipc/content-security-policy.ts';
import { readStaticFile } from './static-files.ts';

const SCHEME = 'app';
const ORIGIN = `${SCHEME}://lanflow`;

export const PAGE_URL = `${ORIGIN}/index.html`;

/** Whether the URL belongs to the window's own page. */
export function isOwnUrl(url: string): boolean {
  return url.startsWith(`${ORIGIN}/`);
}

/** Electron must be told of it before it is ready: `protocol.registerSchemesAsPrivileged([windowScheme])`. */
export const windowScheme: CustomScheme = { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } };

export function servesWindow(protocol: Protocol): boolean {
  // `handle` came with Electron 25, which deprecated what older ones have instead.
  return (protocol as Partial<Protocol>).handle ? protocol.isProtocolHandled(SCHEME) : protocol.isProtocolRegistered(SCHEME);
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: Buffer;
}

/** Serves the files of the window, and nothing else, under its own scheme in one session. */
export function serveWindow(protocol: Protocol, folder: string): void {
  if ((protocol as Partial<Protocol>).handle) {
    protocol.handle(SCHEME, async ({ url }) => {
      const { statusCode: status, headers, data } = await answer(folder, url);
      return new Response(new Uint8Array(data), { status, headers });
    });
  } else {
    protocol.registerBufferProtocol(SCHEME, ({ url }, respond) => {
      answer(folder, url).then(
        ({ statusCode, headers, data }) => respond({ statusCode, headers, data }),
        (error: Error) => respond({ statusCode: 500, data: Buffer.from(error.message) }),
      );
    });
  }
}

async function answer(folder: string, url: string): Promise<Answer> {
  const file = isOwnUrl(url) ? await readStaticFile(folder, url) : undefined;
  return {
    statusCode: file ? 200 : 404,
    headers: {
      'content-type': file?.type ?? 'text/plain',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
    },
    data: file?.content ?? Buffer.from('Not found'),
  };
}
