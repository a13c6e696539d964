import { internal, unavailable } from '#proto/wire/status.ts';
import type { SshConnection } from '../../ssh/ssh-connection.ts';
import { LOG } from '../paths.ts';
import { lastWords } from '../service.ts';
import type { ServiceKind, StepOptions } from '../steps.ts';
import type { WindowsPlace } from './place.ts';
import { runOrThrow } from './powershell.ts';
import { NAME, OWN_PROCESSES } from './processes.ts';
import { writeFailure } from './upload.ts';
import { agentProgram, node } from './versions.ts';

const KINDS: readonly ServiceKind[] = ['scheduled task', 'logon task', 'detached'];

const START_S = 20;
const LIMIT_MS = 90_000;

/**
 * As a task that starts with the machine, whoever is logged in: only administrators may have one, and may let others reach it. Else one
 * that starts when its user logs in, without a window, and until then a process that does not end with this connection. A task is not
 * started anew because its program has failed, so it is started every minute unless it runs.
 */
function registerScript(id: string): string {
  return `${NAME}
$log="$install\\${LOG}"
Remove-Item $log -Force -ErrorAction SilentlyContinue
$line="/d /s /c \`"\`"$install\\${id}\\node\\node.exe\`" \`"${agentProgram(id)}\`" --data \`"$data\`" --lan >> \`"$log\`" 2>&1\`""
$user=[Security.Principal.WindowsIdentity]::GetCurrent().Name
function register($file,$words,$trigger,$logon){
  $action=New-ScheduledTaskAction -Execute $file -Argument $words -WorkingDirectory $install
  $who=New-ScheduledTaskPrincipal -UserId $user -LogonType $logon
  $how=New-ScheduledTaskSettingsSet -ExecutionTimeLimit 0 -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -MultipleInstances IgnoreNew -Hidden
  Register-ScheduledTask $name -Action $action -Trigger $trigger -Principal $who -Settings $how -Force -ErrorAction Stop|Out-Null
}
try{
  $again=New-ScheduledTaskTrigger -Once -At (Get-Date) -RepetitionInterval (New-TimeSpan -Minutes 1)
  register 'cmd.exe' $line @((New-ScheduledTaskTrigger -AtStartup),$again) S4U
  Start-ScheduledTask $name -ErrorAction Stop
  say 'scheduled task'
}catch{
  $kind='detached'
  try{register 'conhost.exe' "--headless cmd.exe $line" (New-ScheduledTaskTrigger -AtLogOn -User $user) Interactive;$kind='logon task'}catch{}
  $made=Invoke-CimMethod Win32_Process -MethodName Create -Arguments @{CommandLine="cmd.exe $line";CurrentDirectory=$install}
  if($made.ReturnValue -ne 0){throw "Windows starts no process, with error $($made.ReturnValue)"}
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
${NAME}
${OWN_PROCESSES}
$agent=agent
if(-not $agent -or -not (own|Where-Object Id -eq $agent.pid)){return}
$task=Get-ScheduledTask $name -ErrorAction SilentlyContinue
if(-not $task){say 'detached'}elseif("$($task.Principal.LogonType)" -eq 'S4U'){say 'scheduled task'}else{say 'logon task'}`;
  return kindIn(await runOrThrow(ssh, script, { explain: ({ stderr }) => unavailable(`${ssh.name} could not be looked at: ${stderr}`) }));
}

/** There are no signals: the agent and its tasks end at once. */
export async function stopAgent(ssh: SshConnection, place: WindowsPlace): Promise<void> {
  const script = `${place.script}
${NAME}
${OWN_PROCESSES}
if(Get-ScheduledTask $name -ErrorAction SilentlyContinue){
  Disable-ScheduledTask $name|Out-Null
  Stop-ScheduledTask $name
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
${NAME}
if(Get-ScheduledTask $name -ErrorAction SilentlyContinue){Unregister-ScheduledTask $name -Confirm:$false}
try{Remove-NetFirewallRule -Name $name -ErrorAction SilentlyContinue}catch{}`;
  await runOrThrow(ssh, script, { explain: ({ stderr }) => writeFailure(ssh, stderr) });
}

function kindIn(output: string): ServiceKind | undefined {
  return KINDS.find((kind) => kind === output.trim());
}
