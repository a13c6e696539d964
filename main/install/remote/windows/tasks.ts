import { NAME } from './processes.ts';

/**
 * Variable and function of PowerShell: the folder of all tasks, and the agent's task, if there is one. By COM: the commands for it go by way
 * of WMI, which refuses those who have come by SSH and are no administrators.
 */
export const TASKS = `${NAME}
$tasks=New-Object -ComObject Schedule.Service
$tasks.Connect()
$root=$tasks.GetFolder('\\')
function task{try{$root.GetTask($name)}catch{$null}}`;

/** A task is not started anew because its program has failed, so it is started every minute unless it runs. */
const EVERY_MINUTE = '<Repetition><Interval>PT1M</Interval></Repetition>';
export const AT_STARTUP = `<BootTrigger/><TimeTrigger>${EVERY_MINUTE}<StartBoundary>2026-01-01T00:00:00</StartBoundary></TimeTrigger>`;

/** It has no end, and the priority of any program. */
const TASK = [
  "<Task version='1.2' xmlns='http://schemas.microsoft.com/windows/2004/02/mit/task'>",
  '<Triggers>$trigger</Triggers>',
  "<Principals><Principal id='user'><UserId>$user</UserId><LogonType>$logon</LogonType></Principal></Principals>",
  '<Settings><MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
  '<DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries><StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
  '<Hidden>true</Hidden><ExecutionTimeLimit>PT0S</ExecutionTimeLimit><Priority>5</Priority></Settings>',
  "<Actions Context='user'><Exec><Command>$file</Command><Arguments>$(escape $words)</Arguments>",
  '<WorkingDirectory>$(escape $install)</WorkingDirectory></Exec></Actions></Task>',
].join('');

/** Function of PowerShell that makes the task, or changes it; `$type` is the number of the logon. */
export const REGISTER = `$user=[Security.Principal.WindowsIdentity]::GetCurrent().User.Value
function escape($text){[Security.SecurityElement]::Escape($text)}
function register($file,$words,$trigger,$logon,$type){
  $root.RegisterTask($name,"${TASK}",6,$null,$null,$type,$null)|Out-Null
}`;
