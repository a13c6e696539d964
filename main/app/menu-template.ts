import type { MenuItemConstructorOptions } from 'electron';
import type { ShellCommand } from '#proto/ipc/bridge.ts';
import { type MenuTexts, menuTexts, type ShellLanguage } from './menu-texts.ts';

export interface MenuOptions {
  readonly platform: NodeJS.Platform;
  readonly language: ShellLanguage;
  onCommand(command: ShellCommand): void;
}

type Item = MenuItemConstructorOptions;
type MakeItem = (name: ShellCommand, label: string, accelerator: string) => Item;

const separator: Item = { type: 'separator' };

/** The menu bar as the system's users expect it. */
export function menuTemplate({ platform, language, onCommand }: MenuOptions): Item[] {
  const isMac = platform === 'darwin';
  const texts = isMac ? withoutMnemonics(menuTexts[language]) : menuTexts[language];
  const command: MakeItem = (name, label, accelerator) => ({ label, accelerator, click: () => onCommand(name) });
  const settings = command('settings', texts.settings, 'CmdOrCtrl+,');
  const file = [command('openFile', texts.open, 'CmdOrCtrl+O'), separator];
  return [
    ...(isMac ? [macMenu(texts, settings)] : []),
    { label: texts.file, submenu: [...file, ...(isMac ? [closeItem(texts)] : [settings, separator, quitItem(texts)])] },
    { label: texts.edit, submenu: editItems(texts) },
    { label: texts.view, submenu: [...screenItems(texts, command), ...viewItems(texts)] },
    { label: texts.run, submenu: runItems(texts, command) },
    { label: texts.window, role: 'window', submenu: [{ label: texts.minimize, role: 'minimize' }, ...(isMac ? [] : [closeItem(texts)])] },
    ...(isMac ? [] : [{ label: texts.help, submenu: [aboutItem(texts)] }]),
  ];
}

function macMenu(texts: MenuTexts, settings: Item): Item {
  return {
    label: 'Lanflow',
    submenu: [
      aboutItem(texts),
      separator,
      settings,
      separator,
      { label: texts.hide, role: 'hide' },
      { label: texts.hideOthers, role: 'hideOthers' },
      { label: texts.showAll, role: 'unhide' },
      separator,
      quitItem(texts),
    ],
  };
}

function aboutItem(texts: MenuTexts): Item {
  return { label: texts.about, role: 'about' };
}

function quitItem(texts: MenuTexts): Item {
  return { label: texts.quit, role: 'quit' };
}

function closeItem(texts: MenuTexts): Item {
  return { label: texts.close, role: 'close' };
}

function editItems(texts: MenuTexts): Item[] {
  return [
    { label: texts.undo, role: 'undo' },
    { label: texts.redo, role: 'redo' },
    separator,
    { label: texts.cut, role: 'cut' },
    { label: texts.copy, role: 'copy' },
    { label: texts.paste, role: 'paste' },
    { label: texts.selectAll, role: 'selectAll' },
  ];
}

function screenItems(texts: MenuTexts, command: MakeItem): Item[] {
  return [
    command('home', texts.home, 'CmdOrCtrl+1'),
    command('machines', texts.machines, 'CmdOrCtrl+2'),
    command('cluster', texts.cluster, 'CmdOrCtrl+3'),
    command('programs', texts.programs, 'CmdOrCtrl+4'),
    command('draw', texts.draw, 'CmdOrCtrl+5'),
    command('runs', texts.runs, 'CmdOrCtrl+6'),
    command('trace', texts.trace, 'CmdOrCtrl+7'),
    separator,
    command('commandPalette', texts.commandPalette, 'CmdOrCtrl+K'),
    separator,
  ];
}

function runItems(texts: MenuTexts, command: MakeItem): Item[] {
  return [
    command('newRun', texts.newRun, 'CmdOrCtrl+N'),
    command('runDemo', texts.runDemo, 'CmdOrCtrl+Shift+D'),
    separator,
    command('pauseOrResumeRun', texts.pauseRun, 'CmdOrCtrl+P'),
    command('stepRun', texts.stepRun, 'CmdOrCtrl+Shift+P'),
    command('traceNextStep', texts.traceNext, 'CmdOrCtrl+T'),
    command('stopRun', texts.stopRun, 'CmdOrCtrl+.'),
  ];
}

function viewItems(texts: MenuTexts): Item[] {
  return [
    { label: texts.actualSize, role: 'resetZoom' },
    { label: texts.zoomIn, role: 'zoomIn' },
    { label: texts.zoomOut, role: 'zoomOut' },
    { label: texts.fullScreen, role: 'togglefullscreen' },
    separator,
    { label: texts.reload, role: 'reload' },
    { label: texts.developerTools, role: 'toggleDevTools' },
  ];
}

/** macOS shows no mnemonics: `&File` is File there, `文件(&F)` is 文件. */
function withoutMnemonics(texts: MenuTexts): MenuTexts {
  const plain = Object.entries(texts).map(([key, text]: [string, string]) => [key, text.replace(/\(&.\)|&/g, '')]);
  return Object.fromEntries(plain) as MenuTexts;
}
