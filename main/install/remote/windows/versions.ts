import { failedPrecondition } from '#proto/wire/status.ts';
import type { Bundle } from '../../bundle/bundle.ts';
import { EXPAND } from '../../bundle/large-files.ts';
import type { SshConnection } from '../../ssh/ssh-connection.ts';
import { AGENT } from '../paths.ts';
import type { WindowsPlace } from './place.ts';
import { quoteForPowerShell, runOrThrow } from './powershell.ts';
import { TAR } from './probe.ts';
import { RUN } from './processes.ts';
import { partFile, writeFailure } from './upload.ts';

const UNPACK_LIMIT_MS = 300_000;
const REMOVE_LIMIT_MS = 300_000;
const NODE_FAILS = 'node: ';

/** A version's Node and its agent program, as words for PowerShell. */
export const node = (id: string): string => `"$install\\${id}\\node\\node.exe"`;
export const agentProgram = (id: string): string => `$install\\${id}\\${AGENT.replaceAll('/', '\\')}`;

export async function unpack(
  ssh: SshConnection,
  place: WindowsPlace,
  { bundle, signal }: { bundle: Bundle; signal: AbortSignal },
): Promise<void> {
  const script = `${place.script}
${RUN}
$new="$install\\${bundle.id}.new"
Remove-Item $new,"$install\\${bundle.id}" -Recurse -Force -ErrorAction SilentlyContinue
New-Item -ItemType Directory $new|Out-Null
run "${TAR}" "-xzf \`"$install\\${partFile(bundle)}\`" -C \`"$new\`""
try{run "$new\\node\\node.exe" '-e 0'}catch{throw "${NODE_FAILS}$($_.Exception.Message)"}
run "$new\\node\\node.exe" (${quoteForPowerShell(`-e "${EXPAND}" `)}+"\`"$new\`"")
Rename-Item $new '${bundle.id}'
Remove-Item "$install\\${partFile(bundle)}"`;
  await runOrThrow(ssh, script, {
    signal,
    limitMs: UNPACK_LIMIT_MS,
    explain: (result) => {
      if (!result.stderr.startsWith(NODE_FAILS)) return writeFailure(ssh, result.stderr);
      return failedPrecondition(`The Node that Lanflow brings does not run on ${ssh.name}: ${result.stderr.slice(NODE_FAILS.length)}`);
    },
  });
}

export async function isThere(
  ssh: SshConnection,
  place: WindowsPlace,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<boolean> {
  const script = `${place.script}\nsay (Test-Path ${node(id)})`;
  return (await runOrThrow(ssh, script, { signal, explain: ({ stderr }) => writeFailure(ssh, stderr) })).trim() === 'True';
}

/** A file names it: links are for administrators there. */
export async function use(ssh: SshConnection, place: WindowsPlace, id: string): Promise<void> {
  const script = `${place.script}
[IO.File]::WriteAllText("$install\\current.new",'${id}')
Move-Item "$install\\current.new" "$install\\current" -Force`;
  await runOrThrow(ssh, script, { explain: ({ stderr }) => writeFailure(ssh, stderr) });
}

/** Id of the one in use. */
export async function currentVersion(ssh: SshConnection, place: WindowsPlace): Promise<string> {
  const script = `${place.script}\nsay ([IO.File]::ReadAllText("$install\\current"))`;
  return (await runOrThrow(ssh, script, { explain: ({ stderr }) => writeFailure(ssh, stderr) })).trim();
}

export async function removeOthers(ssh: SshConnection, place: WindowsPlace, kept: readonly string[]): Promise<void> {
  const names = kept.filter((id) => id !== '').map((id) => `'${id}'`);
  const script = `${place.script}
$kept=@(${names.join(',')})
Get-ChildItem $install|Where-Object {$_.Name -match '^[0-9a-f]{16}$|\\.(part|new)$' -and $kept -notcontains $_.Name}|Remove-Item -Recurse -Force`;
  await runOrThrow(ssh, script, { limitMs: REMOVE_LIMIT_MS, explain: ({ stderr }) => writeFailure(ssh, stderr) });
}
