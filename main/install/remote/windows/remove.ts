import type { SshConnection } from '../../ssh/ssh-connection.ts';
import { KEPT } from '../paths.ts';
import { removeFailure } from '../remove.ts';
import type { Removed } from '../steps.ts';
import { BEAT } from './lock.ts';
import type { WindowsPlace } from './place.ts';
import { runOrThrow } from './powershell.ts';
import { removeService, stopAgent } from './service.ts';

const LIMIT_MS = 300_000;

const SCRIPT = `$kept=@(Get-Content "$install\\${KEPT}" -ErrorAction SilentlyContinue)
Get-ChildItem $install|Where-Object {$_.Name -notmatch '^(lock|${KEPT}|${BEAT}.*)$'}|Remove-Item -Recurse -Force
try{say "machine=$(([IO.File]::ReadAllText("$data\\machine.json")|ConvertFrom-Json).content.id)"}catch{}
$agent=try{([IO.File]::ReadAllText("$data\\agent\\agent.json")|ConvertFrom-Json).pid}catch{0}
$isUsed=$agent -and (Get-Process -Id $agent -ErrorAction SilentlyContinue)
if($kept -notcontains 'agent' -and -not $isUsed){Remove-Item "$data\\agent" -Recurse -Force -ErrorAction SilentlyContinue}
$others=Get-ChildItem $data|Where-Object {$_.Name -notmatch '^(install|environments\\.txt|machine\\.json(\\.lock)?)$'}
if($others -or $kept -contains 'machine.json'){say 'others'}
else{Remove-Item "$data\\machine.json*" -Force}`;

export async function removeAll(ssh: SshConnection, place: WindowsPlace): Promise<Removed> {
  await stopAgent(ssh, place);
  await removeService(ssh, place);
  // An agent that is alive by now was started by somebody else: by the user's own app, or by hand.
  const output = await runOrThrow(ssh, `${place.script}\n${SCRIPT}`, {
    limitMs: LIMIT_MS,
    explain: (result) => removeFailure(ssh, result),
  });
  return { machine: /^machine=([0-9a-f]{16})$/m.exec(output)?.[1] ?? '', hasOthers: /^others$/m.test(output) };
}
