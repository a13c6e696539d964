import { internal, unavailable } from '#proto/wire/status.ts';
import type { SshConnection } from '../../ssh/ssh-connection.ts';
import { LOG } from '../paths.ts';
import { lastWords } from '../service.ts';
import type { ServiceKind, StepOptions } from '../steps.ts';
import type { WindowsPlace } from './place.ts';
import { runOrThrow } from './powershell.ts';
import { NAME, OWN_PROCESSES } from './processes.ts';
import { AT_STARTUP, REGISTER, TASKS } from './tasks.ts';
import { writeFailure } from './upload.ts';
import { agentProgram, node } from './versions.ts';

const KINDS: readonly ServiceKind[] = ['scheduled task', 'logon task', 'detached'];

const START_S = 20;
const LIMIT_MS = 90_000;

/**
 * As a task that starts with the machine, whoever is logged in: only administrators may have one. Else one that starts when its user logs
 * in, without a window, and until then a process of its own: where a session has no terminal, the SSH server lets it live on.
 */
function registerScript(id: string): string {
  return `${TASKS}
${REGISTER}
$log="$install\\${LOG}"
Remove-Item $log -Force -ErrorAction SilentlyContinue
$line="/d /s /c \`"\`"$install\\${id}\\node\\node.exe\`" \`"${agentProgram(id)}\`" --data \`"$data\`" --lan >> \`"$log\`" 2>&1\`""
try{
  register 'cmd.exe' $line '${AT_STARTUP}' S4U 2
  $root.GetTask($name).Run($null)|Out-Null
  say 'scheduled task'
}catch{
  $kind='detached'
  try{register 'conhost.exe' "--headless cmd.exe $line" "<LogonTrigger><UserId>$user</UserId></LogonTrigger>" InteractiveToken 3;$kind='logon task'}catch{}
  try{
    $made=Invoke-CimMethod Win32_Process -MethodName Create -Arguments @{CommandLine="cmd.exe $line";CurrentDirectory=$install} -ErrorAction Stop
    if($made.ReturnValue -ne 0){throw 'refused'}
  }catch{Start-Process cmd.exe $line -WorkingDirectory $install -WindowStyle Hidden}
  say $kind
}`;
}

/** Only administrators may. */
function firewallScript(id: string): string {
  return `${NAME}
try{
  Remove-NetFirewallRule -Name $name -ErrorAction SilentlyContinue
  New-NetFirewallRule -Name $name -DisplayName $name -Direction Inbound -Action Allow -Profile Private,Domain -Program ${node(id)} -ErrorAction Stop|Out-Null
}catch{}`;
}

const AWAIT_READY = `${OWN_PROCESSES}
$log="$install\\${LOG}"
for($tries=0;$tries -lt ${START_S * 5};$tries++){
  if((Test-Path $log) -and (Select-String -LiteralPath $log -Pattern '^ready ' -Quiet)){return}
  if($tries -gt 25 -and -not (own)){break}
  Start-Sleep -Milliseconds 200
}
if(Test-Path $log){throw ((Get-Content $log -Tail 5) -join "\`n")}else{throw 'it says nothing'}`;

export async function startAgent(
  ssh: SshConnection,
  place: WindowsPlace,
  { id, signal }: StepOptions & { id: string },
): Promise<ServiceKind> {
  const options = { signal, limitMs: LIMIT_MS };
  const explain = ({ stderr }: { stderr: string }): Error => unavailable(`The agent does not start on ${ssh.name}: ${lastWords(stderr)}`);
  await runOrThrow(ssh, `${place.script}\n${firewallScript(id)}`, { ...options, explain });
  const kind = kindIn(await runOrThrow(ssh, `${place.script}\n${registerScript(id)}`, { ...options, explain }));
  await runOrThrow(ssh, `${place.script}\n${AWAIT_READY}`, { ...options, explain });
  if (kind === undefined) throw internal(`${ssh.name} does not say how it has started the agent`);
  return kind;
}

export async function runningAs(ssh: SshConnection, place: WindowsPlace): Promise<ServiceKind | undefined> {
  const script = `${place.script}
${TASKS}
${OWN_PROCESSES}
$agent=agent
if(-not $agent -or -not (own|Where-Object Id -eq $agent.pid)){return}
$task=task
if(-not $task){say 'detached'}elseif($task.Definition.Principal.LogonType -eq 2){say 'scheduled task'}else{say 'logon task'}`;
  return kindIn(await runOrThrow(ssh, script, { explain: ({ stderr }) => unavailable(`${ssh.name} could not be looked at: ${stderr}`) }));
}

/** There are no signals: the agent and its tasks end at once. */
export async function stopAgent(ssh: SshConnection, place: WindowsPlace): Promise<void> {
  const script = `${place.script}
${TASKS}
${OWN_PROCESSES}
$task=task
if($task){
  $task.Enabled=$false
  $task.Stop(0)
}
for($tries=0;$tries -lt 50 -and (own);$tries++){
  own|Stop-Process -Force -ErrorAction SilentlyContinue
  Start-Sleep -Milliseconds 200
}
if(own){throw "the processes $((own).Id) do not end"}`;
  await runOrThrow(ssh, script, {
    limitMs: LIMIT_MS,
    explain: ({ stderr }) => unavailable(`The agent of ${ssh.name} cannot be stopped: ${stderr}`),
  });
}

/** The agent has been stopped. */
export async function removeService(ssh: SshConnection, place: WindowsPlace): Promise<void> {
  const script = `${place.script}
${TASKS}
if(task){$root.DeleteTask($name,0)}
try{Remove-NetFirewallRule -Name $name -ErrorAction SilentlyContinue}catch{}`;
  await runOrThrow(ssh, script, { explain: ({ stderr }) => writeFailure(ssh, stderr) });
}

function kindIn(output: string): ServiceKind | undefined {
  return KINDS.find((kind) => kind === output.trim());
}
