import { unavailable } from '#proto/wire/status.ts';
import type { SshConnection } from '../../ssh/ssh-connection.ts';
import { type Probe, parseProbe } from '../probe.ts';
import type { WindowsPlace } from './place.ts';
import { runOrThrow } from './powershell.ts';
import { OWN_PROCESSES } from './processes.ts';

/** That of the system; another one in the user's PATH may take `C:` for a host. */
export const TAR = '$env:SystemRoot\\System32\\tar.exe';

const SCRIPT = `say 'system=Windows'
say "user=$env:USERNAME"
say "home=$env:USERPROFILE"
say "release=$([Environment]::OSVersion.Version)"
say "processor=$([Environment]::GetEnvironmentVariable('PROCESSOR_ARCHITECTURE','Machine'))"
say "bits=$(if([Environment]::Is64BitOperatingSystem){64}else{32})"
$place=Split-Path $data
say "free=$([Math]::Floor((New-Object IO.DriveInfo ([IO.Path]::GetPathRoot($place))).AvailableFreeSpace/1024))"
try{[IO.File]::Create("$place\\lanflow-$([Guid]::NewGuid())",1,'DeleteOnClose').Close();say 'writable=yes'}catch{say "unwritable=$($_.Exception.Message)"}
if(-not (Test-Path "${TAR}")){say 'missing=tar'}
say "now=$([DateTimeOffset]::UtcNow.ToUnixTimeSeconds())"
if(Test-Path $install){say 'installed=yes'}
if(Test-Path "$install\\current"){say "current=$([IO.File]::ReadAllText("$install\\current"))"}
${OWN_PROCESSES}
$agent=agent
if($agent -and -not (own|Where-Object Id -eq $agent.pid) -and (Get-Process -Id $agent.pid -ErrorAction SilentlyContinue)){
  $pipe=($agent.socket -split '\\\\')[-1]
  if([IO.Directory]::GetFiles('\\\\.\\pipe\\')|Where-Object {$_.EndsWith("\\$pipe")}){say "agent=$($agent.pid)"}
}`;

/** Looks at a machine; leaves nothing there. */
export async function probe(ssh: SshConnection, place: WindowsPlace, signal: AbortSignal): Promise<Probe> {
  const began = Date.now();
  const output = await runOrThrow(ssh, `${place.script}\n${SCRIPT}`, {
    signal,
    explain: ({ stderr }) => unavailable(`${ssh.name} could not be looked at: ${stderr.slice(-300)}`),
  });
  return parseProbe(output, (began + Date.now()) / 2);
}
