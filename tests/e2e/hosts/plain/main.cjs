/** A host in plain JavaScript: Lanflow in a window of its own, with a program of the host. */
const { join } = require('node:path');
const { app, protocol } = require('electron');
const { lanflowScheme, openWindow } = require('lanflow/embed');

protocol.registerSchemesAsPrivileged([lanflowScheme]);

app.whenReady().then(async () => {
  globalThis.lanflow = await openWindow({
    dataFolder: join(app.getPath('userData'), 'lanflow'),
    programs: [{ path: join(__dirname, 'count.js'), title: 'Count to three' }],
    onError: (error) => console.error(error.message),
  });
});

app.on('window-all-closed', () => app.quit());
