import type { SshConnection } from '../../ssh/ssh-connection.ts';
import { EARLIER_TRUST } from '../paths.ts';
import type { Enroll, StepOptions } from '../steps.ts';
import { parseRequest, refusal } from '../trust.ts';
import type { WindowsPlace } from './place.ts';
import { runOrThrow } from './powershell.ts';
import { RUN } from './processes.ts';
import { removeFile, writeFailure } from './upload.ts';
import { agentProgram, node } from './versions.ts';

const ANSWER = 'trust.json';

export async function pair(
  ssh: SshConnection,
  place: WindowsPlace,
  { id, enroll, signal }: StepOptions & { id: string; enroll: Enroll },
): Promise<void> {
  const words = (verb: string): string => `"\`"${agentProgram(id)}\`" trust ${verb} --data \`"$data\`""`;
  const explain = ({ stderr }: { stderr: string }): Error => refusal(ssh, stderr);
  const request = `${place.script}\n${RUN}\nsay (run ${node(id)} ${words('request')})`;
  const trust = await enroll(parseRequest(await runOrThrow(ssh, request, { signal, explain }), ssh.name));
  signal?.throwIfAborted();
  const accept = `${place.script}\n${RUN}\nrun ${node(id)} ${words('accept')} ([IO.File]::ReadAllText("$install\\${ANSWER}"))|Out-Null`;
  await withAnswer(ssh, place.sftp(ANSWER), { text: JSON.stringify(trust), work: () => runOrThrow(ssh, accept, { signal, explain }) });
}

/** It is too long for a command line. */
async function withAnswer(ssh: SshConnection, path: string, { text, work }: { text: string; work: () => Promise<unknown> }): Promise<void> {
  const sftp = await ssh.openSftp();
  try {
    await new Promise<void>((resolve, reject) => {
      sftp.writeFile(path, text, (error) => (error ? reject(writeFailure(ssh, error.message)) : resolve()));
    });
    await work();
  } finally {
    await removeFile(sftp, path);
    sftp.end();
  }
}

export async function noteTrust(ssh: SshConnection, place: WindowsPlace, options: StepOptions): Promise<void> {
  const script = `${place.script}
$note="$install\\${EARLIER_TRUST}"
if((Test-Path $note) -and -not (Test-Path "$install\\current")){return}
Remove-Item $note,"$note.new" -Recurse -Force -ErrorAction SilentlyContinue
New-Item -ItemType Directory "$note.new"|Out-Null
if(Test-Path "$data\\agent\\trust"){Copy-Item "$data\\agent\\trust\\*.pem" "$note.new"}
Rename-Item "$note.new" '${EARLIER_TRUST}'`;
  await runOrThrow(ssh, script, { ...options, explain: ({ stderr }) => writeFailure(ssh, stderr) });
}

export async function putTrustBack(ssh: SshConnection, place: WindowsPlace): Promise<void> {
  const script = `${place.script}
$note="$install\\${EARLIER_TRUST}"
if(-not (Test-Path $note)){return}
if(Test-Path "$data\\agent\\trust"){
  Remove-Item "$data\\agent\\trust\\*.pem" -Force
  Copy-Item "$note\\*.pem" "$data\\agent\\trust"
}
Remove-Item $note -Recurse -Force`;
  await runOrThrow(ssh, script, { explain: ({ stderr }) => writeFailure(ssh, stderr) });
}

export async function forgetEarlierTrust(ssh: SshConnection, place: WindowsPlace): Promise<void> {
  const script = `${place.script}\nRemove-Item "$install\\${EARLIER_TRUST}" -Recurse -Force -ErrorAction SilentlyContinue`;
  await runOrThrow(ssh, script, { explain: ({ stderr }) => writeFailure(ssh, stderr) });
}
