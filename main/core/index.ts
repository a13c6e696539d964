/**
 * The core process: started by a shell (the desktop's or `lanflow web`), it speaks with the shell's windows through two inherited
 * pipes (see `proto/ipc/pipe.ts`) and ends when the shell is gone.
 */
import { Socket } from 'node:net';
import { join } from 'node:path';
import { type Packet, PacketReader, packetHeader } from '#proto/ipc/pipe.ts';
import { bundlePath } from '../program-host/bundles.ts';
import { ownDataFolder } from '../store/data-folder.ts';
import type { Channel, WindowConnection } from './channel.ts';
import { createCore } from './core.ts';
import { readHostPrograms } from './host-options.ts';
import { createLog } from './log.ts';

const FD_FROM_SHELL = 3;
const FD_TO_SHELL = 4;
/** The shell does not wait longer. */
const STOP_LIMIT_MS = 4500;

/** The windows of the shell, each a connection of the channel. */
function serveWindows(channel: Channel, toShell: Socket): (packet: Packet) => void {
  const windows = new Map<number, WindowConnection>();
  const open = (window: number): WindowConnection => {
    const connection = channel.open({
      send: (frame) => {
        toShell.write(packetHeader({ window, frame }));
        toShell.write(frame);
      },
      get isBusy() {
        return toShell.writableNeedDrain;
      },
    });
    windows.set(window, connection);
    return connection;
  };
  toShell.on('drain', () => {
    for (const connection of windows.values()) connection.drained();
  });
  return ({ window, frame }) => {
    if (frame.length > 0) {
      (windows.get(window) ?? open(window)).receive(frame);
    } else {
      windows.get(window)?.close();
      windows.delete(window);
    }
  };
}

const data = ownDataFolder();
const logFile = join(data, 'logs', 'core.log');
const log = createLog(logFile);
process.setSourceMapsEnabled(true);
process.on('unhandledRejection', (reason) => log(`bug: ${reason instanceof Error ? reason.stack : reason}`));
// A terminal sends Ctrl-C to every process of its group; the shell decides what becomes of this one.
process.on('SIGINT', () => {});

// Whoever read it may be gone before the core is.
process.stderr.on('error', () => {});

const fromShell = new Socket({ fd: FD_FROM_SHELL, readable: true, writable: false });
const toShell = new Socket({ fd: FD_TO_SHELL, readable: false, writable: true });
/** The shell may go away at any time, also before the core is ready. */
const shellGone = new Promise<void>((resolve) => {
  for (const event of ['end', 'close', 'error'] as const) fromShell.on(event, () => resolve());
  toShell.on('error', () => resolve());
  process.on('SIGTERM', () => resolve());
});
const starting = createCore({
  dataFolder: data,
  logFile,
  log,
  agent: bundlePath('task-server/agent.js'),
  programHost: bundlePath('program-host/index.js'),
  languageServer: bundlePath('language/index.js'),
  programSources: bundlePath('programs'),
  hostPrograms: readHostPrograms(process.argv.slice(2)),
});
void shellGone.then(async () => {
  setTimeout(() => process.exit(1), STOP_LIMIT_MS);
  await (await starting).close();
  process.exit(0);
});
// What the shell sends meanwhile waits in the pipe.
const core = await starting;
const receive = serveWindows(core.channel, toShell);
const reader = new PacketReader(receive);

fromShell.on('data', (chunk) => reader.push(chunk));
