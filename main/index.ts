import { join } from 'node:path';
import { app, dialog, protocol, session } from 'electron';
import { serveWindow, windowScheme } from './app/app-protocol.ts';
import { findParts } from './app/built-parts.ts';
import { guardSession } from './app/guard.ts';
import { parseCommandLine } from './app/opened-files.ts';
import { Shell } from './app/shell.ts';
import { openStartLog } from './app/start-log.ts';

app.setName('Lanflow');
if (!app.commandLine.hasSwitch('user-data-dir')) app.setPath('userData', join(app.getPath('appData'), 'lanflow-app'));

if (app.requestSingleInstanceLock()) run();
else app.quit();

function run(): void {
  const openedEarly: string[] = [];
  let shell: Shell | undefined;
  const log = openStartLog(
    join(app.getPath('userData'), 'start.log'),
    `Lanflow ${app.getVersion()} in Electron ${process.versions.electron}, ${process.platform} ${process.arch}`,
  );

  process.on('uncaughtException', (error) => {
    log(error.stack ?? error.message);
    dialog.showErrorBox('Lanflow', error.message);
    app.exit(1);
  });
  protocol.registerSchemesAsPrivileged([windowScheme]);
  app.on('second-instance', (_event, argv, folder) => shell?.fulfil(parseCommandLine(argv, folder, __filename)));
  app.on('open-file', (event, path) => {
    event.preventDefault();
    if (shell) shell.fulfil({ runDemo: false, files: [path] });
    else openedEarly.push(path);
  });
  app.on('activate', () => shell?.show());
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  app.on('will-quit', (event) => {
    if (!shell) return;
    event.preventDefault();
    const stopping = shell;
    shell = undefined;
    // Not before this event is over: Electron would take it for a part of the quitting that was just put off.
    void stopping.stop().finally(() => setImmediate(() => app.quit()));
  });

  void app.whenReady().then(() => {
    const parts = findParts({
      folder: __dirname,
      resources: process.resourcesPath,
      platform: process.platform,
      node: process.env['LANFLOW_NODE'],
    });
    guardSession(session.defaultSession);
    serveWindow(protocol, parts.window);
    shell = new Shell({
      node: parts.node,
      coreEntry: parts.coreEntry,
      preload: join(__dirname, 'preload.cjs'),
      stateFile: join(app.getPath('userData'), 'window.json'),
      log,
    });
    const wishes = parseCommandLine(process.argv, process.cwd(), __filename);
    shell.fulfil({ ...wishes, files: [...wishes.files, ...openedEarly] });
  });
}
