import type { OpenedFile, ShellBridge, ShellCallName, ShellCalls, ShellCommand } from '#proto/ipc/bridge.ts';
import { StatusError, toCode } from '#proto/wire/status.ts';
import type { Shell } from './shell.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** The window in the desktop: frames and shell calls go through the bridge that the preload script has put on the page. */
export function desktopHost(bridge: ShellBridge): { readonly transport: Transport; readonly shell: Shell } {
  let onCommand = (_command: ShellCommand) => {};
  let onFileOpened = (_file: OpenedFile) => {};

  const call = async <N extends ShellCallName>(name: N, argument: ShellCalls[N]['argument']): Promise<ShellCalls[N]['result']> => {
    const reply = await bridge.call(name, argument);
    if (reply.ok) return reply.value;
    throw new StatusError(toCode(reply.code), reply.message);
  };
  const listen = (events: TransportEvents) =>
    bridge.listen({
      onFrame: (frame) => events.onFrame(frame),
      onNotice: (notice) => {
        if (notice.kind === 'coreStarted') events.onConnected();
        else if (notice.kind === 'coreEnded') events.onLost({ reason: notice.reason, restores: notice.restarts, coreEnded: true });
        else if (notice.kind === 'command') onCommand(notice.command);
        else onFileOpened(notice.file);
      },
    });

  return {
    transport: {
      send: (frame) => bridge.send(frame),
      open: listen,
      restart: async () => {
        await call('restartCore', null);
      },
    },
    shell: {
      saveFile: async (name, content) => (await call('saveFile', { name, content })) ?? undefined,
      saveFiles: async (files) => (await call('saveFiles', { files })) ?? undefined,
      showInFolder: async (path) => {
        await call('showInFolder', { path });
      },
      openFile: async (title, extensions) => (await call('openFile', { title, extensions })) ?? undefined,
      setAppearance: async (appearance) => {
        await call('setAppearance', appearance);
      },
      onCommand: (listener) => {
        onCommand = listener;
      },
      onFileOpened: (listener) => {
        onFileOpened = listener;
      },
    },
  };
}
