import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launchdStart } from '../../../../../main/install/remote/launchd.ts';

const REFUSED = 67;

describe('a service of launchd', () => {
  let home: string;
  let commands: string;

  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), 'lanflow-launchd-'));
    [home, commands] = [join(folder, `o'neil & <co> $HOME`), join(folder, 'bin')];
    mkdirSync(join(home, 'data', 'install'), { recursive: true });
    mkdirSync(commands);
  });
  afterEach(() => rmSync(join(home, '..'), { recursive: true }));

  function start(shell: string, launchctl: string): string {
    writeFileSync(join(commands, 'launchctl'), `#!/bin/sh\n${launchctl}\n`);
    chmodSync(join(commands, 'launchctl'), 0o755);
    const input = `data="$HOME/data"\n(\n${launchdStart(REFUSED)}\n)\necho "exit $?"`;
    const env = { ...process.env, HOME: home, PATH: `${commands}:${process.env['PATH']}` };
    return execFileSync(shell, { input, env, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
  }

  it.each(['sh', 'bash'])('is described in a property list that holds in any home, written by %s', (shell) => {
    expect(start(shell, 'exit 0')).toBe('exit 0\n');
    const data = join(home, 'data');
    expect(parsePlist(readFileSync(join(home, 'Library/LaunchAgents/org.lanflow.agent.plist'), 'utf8'))).toEqual({
      Label: 'org.lanflow.agent',
      ProgramArguments: [
        `${data}/install/current/node/node`,
        `${data}/install/current/dist/task-server/agent.js`,
        ...['--data', data, '--lan', '--keep-tasks'],
      ],
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ExitTimeOut: 10,
      AbandonProcessGroup: true,
      ProcessType: 'Interactive',
      LimitLoadToSessionType: 'Background',
      Umask: 0o77,
      StandardOutPath: `${data}/install/agent.log`,
      StandardErrorPath: `${data}/install/agent.log`,
    });
    expect(readFileSync(join(data, 'install/made-folders'), 'utf8')).toBe(`${home}/Library\n${home}/Library/LaunchAgents\n`);
  });

  it('leaves no property list where launchd refuses it', () => {
    expect(start('sh', 'case $1 in bootstrap) exit 125 ;; esac')).toBe(`exit ${REFUSED}\n`);
    expect(() => readFileSync(join(home, 'Library/LaunchAgents/org.lanflow.agent.plist'))).toThrow('ENOENT');
  });

  it('is tried again while one that ends is in the way', () => {
    expect(start('sh', 'case $1 in bootstrap) [ -e "$HOME/tried" ] || { : > "$HOME/tried"; exit 5; } ;; esac')).toBe('exit 0\n');
  });
});

type Plist = string | number | boolean | readonly Plist[] | { readonly [key: string]: Plist };

/** What a property list means; of the kinds of values those that ours has. */
function parsePlist(text: string): Plist {
  const tokens = [...text.matchAll(/<(\/?)(plist|dict|array|key|string|integer|true|false)\b[^>]*?\/?>([^<]*)/g)].map(
    ([, slash = '', name = '', content = '']) => ({ name: slash + name, content: unescapeXml(content) }),
  );
  let at = 1;
  const next = () => tokens[at++] ?? { name: '', content: '' };
  const skipEnd = (name: string): void => expect(next().name).toBe(`/${name}`);
  const value = (): Plist => {
    const { name, content } = next();
    if (name === 'true' || name === 'false') return name === 'true';
    if (name === 'array' || name === 'dict') return name === 'array' ? items() : entries();
    skipEnd(name);
    return name === 'integer' ? Number(content) : content;
  };
  const items = (): Plist[] => {
    const all: Plist[] = [];
    while (tokens[at]?.name !== '/array') all.push(value());
    skipEnd('array');
    return all;
  };
  const entries = (): Plist => {
    const all: Record<string, Plist> = {};
    while (tokens[at]?.name !== '/dict') {
      const key = String(value());
      all[key] = value();
    }
    skipEnd('dict');
    return all;
  };
  return value();
}

function unescapeXml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
