import type { ShellBridge } from '#proto/ipc/bridge.ts';
import { FRAMES_PATH } from '#proto/ipc/frames.ts';
import { browserShell } from './browser-shell.ts';
import { desktopHost } from './desktop.ts';
import type { Shell } from './shell.ts';
import { socketTransport } from './socket-transport.ts';
import type { Transport } from './transport.ts';

declare global {
  interface Window {
    /** Only in the desktop. */
    readonly lanflow?: ShellBridge;
  }
}

/** The only place that knows where the window runs: in the desktop, or in a browser under `lanflow web`. */
export function findHost(): { readonly transport: Transport; readonly shell: Shell } {
  if (window.lanflow) return desktopHost(window.lanflow);
  const url = new URL(FRAMES_PATH, location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.hash = '';
  return { transport: socketTransport(url.href), shell: browserShell };
}
