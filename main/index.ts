import { join } from 'node:path';
import { app, session } from 'electron';
import { registerScheme, serveWindow } from './app/app-protocol.ts';
import { guardSession } from './app/guard.ts';
import { parseCommandLine } from './app/opened-files.ts';
import { Shell } from './app/shell.ts';

/** Bundled as CommonJS into dist/shell; the core and the window's files lie beside it. */
const dist = join(__dirname, '..');

app.setName('Lanflow');
if (!app.commandLine.hasSwitch('user-data-dir')) app.setPath('userData', join(app.getPath('appData'), 'lanflow-app'));

if (app.requestSingleInstanceLock()) run();
else app.quit();

function run(): void {
  const openedEarly: string[] = [];
  let shell: Shell | undefined;

  registerScheme();
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
    void stopping.stop().finally(() => app.quit());
  });

  void app.whenReady().then(() => {
    guardSession(session.defaultSession);
    serveWindow(join(dist, 'renderer'));
    shell = new Shell({
      node: process.env['LANFLOW_NODE'] ?? 'node',
      coreEntry: join(dist, 'core', 'index.js'),
      preload: join(__dirname, 'preload.cjs'),
      stateFile: join(app.getPath('userData'), 'window.json'),
    });
    const wishes = parseCommandLine(process.argv, process.cwd(), __filename);
    shell.fulfil({ ...wishes, files: [...wishes.files, ...openedEarly] });
  });
}
