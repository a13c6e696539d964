import { describe, expect, it } from 'vitest';
import { windowsPlace } from '../../../../../../main/install/remote/windows/place.ts';
import { powerShellCommand, quoteForPowerShell } from '../../../../../../main/install/remote/windows/powershell.ts';

describe('a word for PowerShell', () => {
  it.each([
    ['plain', "'plain'"],
    ['', "''"],
    ["o'neil", "'o''neil'"],
    ['$HOME `n "quoted" %PATH% & ; | (x)', `'$HOME \`n "quoted" %PATH% & ; | (x)'`],
    ['O’Neil ‘and’ ‚co‛', "'O’’Neil ‘‘and’’ ‚‚co‛‛'"],
  ])('%j stands in quotes in which nothing counts', (text, word) => {
    expect(quoteForPowerShell(text)).toBe(word);
  });
});

describe('a command line for a machine with Windows', () => {
  it('is the same word in every login shell, and means the script in all its letters', () => {
    const script = `say 'ü 中文 "$HOME" %PATH%'\n  say 2`;
    const command = powerShellCommand(script);
    expect(command).toMatch(/^powershell( -\w+( [A-Z]\w+)?)+ -EncodedCommand [\w+/=]+$/);
    const decoded = Buffer.from(command.split(' ').at(-1) ?? '', 'base64').toString('utf16le');
    expect(decoded).toBe(`say 'ü 中文 "$HOME" %PATH%'\nsay 2`);
  });

  it('is never longer than cmd.exe takes', () => {
    expect(() => powerShellCommand('x'.repeat(3500))).toThrow(/has \d+ characters; cmd\.exe takes 8191/);
  });
});

describe('the place of an installation on Windows', () => {
  it('is named for PowerShell and for SFTP', () => {
    const place = windowsPlace("C:\\Users\\o'neil $x\\AppData\\Local");
    expect(place.script).toBe(`$data='C:\\Users\\o''neil $x\\AppData\\Local\\Lanflow'\n$install="$data\\install"`);
    expect(place.sftp('a.part')).toBe("/C:/Users/o'neil $x/AppData/Local/Lanflow/install/a.part");
  });
});
