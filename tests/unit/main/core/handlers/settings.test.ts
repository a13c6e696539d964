import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settingsHandlers } from '../../../../../main/core/handlers/settings.ts';
import { openStore } from '../../../../../main/store/index.ts';

describe('settings', () => {
  let folder: string;
  let events: unknown[];
  const open = () =>
    settingsHandlers(
      openStore(folder, () => {}),
      (name, payload) => events.push([name, payload]),
    );

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-settings-'));
    events = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are the user’s, kept, and told', async () => {
    const changed = { language: 'system', theme: 'dark', ports: 'any', byHost: [] };
    expect(await open()['settings.set']({ theme: 'dark' })).toEqual(changed);
    expect(await open()['settings.get'](null)).toEqual(changed);
    expect(events).toEqual([['settings.changed', changed]]);
  });

  it('are the host’s as long as it decides, without being kept', async () => {
    const handlers = open();
    await handlers['settings.set']({ theme: 'dark' });
    const decided = { language: 'zh-CN', theme: 'light', ports: 'any', byHost: ['language', 'theme'] };
    expect(await handlers['settings.setByHost']({ language: 'zh-CN', theme: 'light' })).toEqual(decided);
    expect(await handlers['settings.set']({ theme: 'system' })).toEqual(decided);
    expect(await handlers['settings.setByHost']({})).toEqual({ language: 'system', theme: 'system', ports: 'any', byHost: [] });
    expect(events.at(1)).toEqual(['settings.changed', decided]);
    expect(await open()['settings.get'](null)).toEqual({ language: 'system', theme: 'system', ports: 'any', byHost: [] });
  });
});
