/** A host in TypeScript: Lanflow in the host's own window, below a bar; the host starts runs itself and hears of them. */
import { join } from 'node:path';
import { app, BrowserWindow, protocol } from 'electron';
import { createView, type Lanflow, type LanflowView, lanflowScheme, startCore } from 'lanflow/embed';

const BAR_HEIGHT = 48;

protocol.registerSchemesAsPrivileged([lanflowScheme]);

interface Host {
  readonly window: BrowserWindow;
  readonly lanflow: Lanflow & LanflowView;
  /** States of the runs that it heard of. */
  readonly states: Set<string>;
}

async function open(): Promise<Host> {
  const window = new BrowserWindow({ width: 1100, height: 760 });
  await window.loadURL('data:text/html,<title>Host</title><h1 style="font:16px sans-serif">The host</h1>');
  const lanflow = await createView({
    dataFolder: join(app.getPath('userData'), 'lanflow'),
    theme: 'dark',
    language: 'zh-CN',
    onError: ({ code, message }) => console.error(code, message),
  });
  lanflow.attach(window, ({ width, height }) => ({ x: 0, y: BAR_HEIGHT, width, height: height - BAR_HEIGHT }));
  const states = new Set<string>();
  lanflow.on('runs.changed', ({ run }) => states.add(run.state));
  return { window, lanflow, states };
}

/** Whoever tests the host reaches into it by these names. */
void app.whenReady().then(async () => Object.assign(globalThis, { host: await open(), startCore }));
app.on('window-all-closed', () => app.quit());
