/** Names the task and the rule of the firewall: two users of a machine have an agent each. */
export const NAME = '$name="Lanflow agent of $env:USERNAME"';

/** Functions of PowerShell: what the agent that runs, or has crashed, says of itself; processes that run a Node of the installation. */
export const OWN_PROCESSES = `function agent{
  try{[IO.File]::ReadAllText("$data\\agent\\agent.json")|ConvertFrom-Json}catch{$null}
}
function own{
  Get-Process node -ErrorAction SilentlyContinue|Where-Object {$_.Path -and $_.Path.StartsWith("$install\\",'OrdinalIgnoreCase')}
}`;

/** Function of PowerShell: a program's output, with its own words as the error when it fails. */
export const RUN = `function run($file,$words,[string]$text){
  $start=New-Object Diagnostics.ProcessStartInfo $file,$words
  $start.UseShellExecute=$false
  $start.RedirectStandardInput=$start.RedirectStandardOutput=$start.RedirectStandardError=$true
  $start.StandardOutputEncoding=$start.StandardErrorEncoding=[Text.Encoding]::UTF8
  $process=[Diagnostics.Process]::Start($start)
  $errors=$process.StandardError.ReadToEndAsync()
  $process.StandardInput.Write($text)
  $process.StandardInput.Close()
  $output=$process.StandardOutput.ReadToEnd()
  $process.WaitForExit()
  if($process.ExitCode -ne 0){throw "$($errors.Result)".Trim()}
  $output
}`;
