import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it } from 'vitest';
import { menuTemplate } from '../../../../main/app/menu-template.ts';
import { languageFor, menuTexts } from '../../../../main/app/menu-texts.ts';

type Item = MenuItemConstructorOptions;

function build(platform: NodeJS.Platform, language: 'en' | 'zh-CN' = 'en'): { readonly items: readonly Item[]; readonly chosen: string[] } {
  const chosen: string[] = [];
  return { items: flatten(menuTemplate({ platform, language, onCommand: (command) => chosen.push(command) })), chosen };
}

function flatten(items: readonly Item[]): readonly Item[] {
  return items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? flatten(item.submenu) : [])]);
}

const systems = ['linux', 'win32', 'darwin'] as const;

describe.each(systems)('the menu on %s', (platform) => {
  it('reaches every screen and command once, each with a shortcut of its own', () => {
    const { items, chosen } = build(platform);
    const commands = items.filter(({ click }) => click);
    for (const { click } of commands) (click as () => void)();
    expect(chosen.sort()).toEqual(
      ['cluster', 'commandPalette', 'draw', 'home', 'machines', 'newRun', 'openFile', 'pauseOrResumeRun', 'programs', 'runDemo'].concat([
        'runs',
        'settings',
        'stepRun',
        'stopRun',
        'trace',
        'traceNextStep',
      ]),
    );
    expect(new Set(commands.map(({ accelerator }) => accelerator)).size).toBe(commands.length);
  });

  it('can close the window, quit, and tell about the app', () => {
    const roles = build(platform).items.map(({ role }) => role);
    expect(roles).toEqual(expect.arrayContaining(['close', 'quit', 'about', 'copy', 'paste']));
  });

  it('labels every item in both languages', () => {
    for (const language of ['en', 'zh-CN'] as const)
      for (const { label, type } of build(platform, language).items) expect(type === 'separator' || label).toBeTruthy();
  });
});

it('macOS has no mnemonics and its application menu first', () => {
  expect(build('darwin').items[0]?.label).toBe('Lanflow');
  for (const language of ['en', 'zh-CN'] as const)
    expect(build('darwin', language).items.filter(({ label }) => label?.includes('&'))).toEqual([]);
});

it('Chinese texts differ from the English ones', () => {
  const same = Object.entries(menuTexts.en).filter(([key, text]) => menuTexts['zh-CN'][key as keyof typeof menuTexts.en] === text);
  expect(same).toEqual([]);
});

it.each([
  [['zh-CN', 'en'], 'zh-CN'],
  [['zh-Hans-SG'], 'zh-CN'],
  [['de-DE', 'zh'], 'zh-CN'],
  [['en-GB', 'zh'], 'en'],
  [['fr'], 'en'],
  [[], 'en'],
])('a system that prefers %j gets %s', (preferred, language) => {
  expect(languageFor(preferred)).toBe(language);
});
