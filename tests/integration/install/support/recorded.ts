import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, PlayedStep, WindowsMachine } from './windows-machine.ts';
import { LOCAL_APP_DATA } from './windows-machine.ts';

/** What Windows 11 on an x64 machine prints, a minute ahead of the clock here. */
export const probed = (facts: Readonly<Record<string, string>> = {}): string =>
  Object.entries({
    system: 'Windows',
    user: "o'neil $HOME",
    home: "C:\\Users\\o'neil $HOME",
    release: '10.0.22631.0',
    processor: 'AMD64',
    bits: '64',
    free: '104857600',
    writable: 'yes',
    now: String(Math.floor(Date.now() / 1000) + 60),
    ...facts,
  })
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');

const step = (name: string, words: RegExp, answer: PlayedStep['answer'] = () => ''): PlayedStep => ({ name, words, answer });

/** All steps of a machine on which everything works, for an administrator. */
const GOOD: readonly PlayedStep[] = [
  step('place', /GetFolderPath\('LocalApplicationData'\)/, () => LOCAL_APP_DATA),
  step('probe', /say 'system=Windows'/, () => probed()),
  step('is there', /say \(Test-Path "\$install\\[0-9a-f]{16}\\node\\node\.exe"\)/, () => 'False'),
  step('checksum', /Get-FileHash/, (machine) => checksumOf(machine)),
  step('unpack', /tar\.exe/),
  step('note trust', /Rename-Item "\$note\.new" 'earlier-trust'/),
  step('trust request', /trust request/, () => '{"machine":"0123456789abcdef","request":"PEM"}'),
  step('trust accept', /trust accept/),
  step('put trust back', /Copy-Item "\$note/),
  step('forget trust', /Remove-Item "\$install\\earlier-trust"/),
  step('firewall', /New-NetFirewallRule/),
  step('start', /RegisterTask\(/, () => 'scheduled task'),
  step('ready', /\^ready /),
  step('running as', /Principal\.LogonType -eq 2/),
  step('stop', /\.Stop\(0\)/),
  step('use', /WriteAllText\("\$install\\current\.new"/),
  step('current', /say \(\[IO\.File\]::ReadAllText\("\$install\\current"\)\)/, () => 'abcdefabcdefabcd'),
  step('remove others', /\(part\|new\)\$/),
  step('remove service', /DeleteTask/),
  step('remove all', /\$isUsed/, () => 'machine=0123456789abcdef'),
];

/** The same, but for these steps. */
export function stepsWith(answers: Readonly<Record<string, (machine: WindowsMachine, nth: number) => Answer>>): readonly PlayedStep[] {
  return GOOD.map((each) => ({ ...each, answer: answers[each.name] ?? each.answer }));
}

/** As Get-FileHash prints it. */
function checksumOf({ folder }: WindowsMachine): string {
  const part = readdirSync(folder).find((name) => name.endsWith('.part')) ?? '';
  return createHash('sha256')
    .update(readFileSync(join(folder, part)))
    .digest('hex')
    .toUpperCase();
}
