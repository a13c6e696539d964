import { randomBytes } from 'node:crypto';
import type { ClientChannel, SFTPWrapper } from 'ssh2';
import { deadlineExceeded, unavailable } from '#proto/wire/status.ts';
import type { SshConnection } from '../../ssh/ssh-connection.ts';
import { KEPT } from '../paths.ts';
import type { RemoteLock } from '../steps.ts';
import type { WindowsPlace } from './place.ts';
import { powerShellCommand, SAY } from './powershell.ts';
import { removeFile } from './upload.ts';

/** Somebody else's installation takes this long at the most. */
const WAIT_S = 900;
const SILENCE_S = 60;
const BEAT_MS = 10_000;
const RELEASE_MS = 10_000;

/** Begins the name of the file by which an owner tells that it is there still. */
export const BEAT = 'beat-';

const SAYS = 'lanflow-lock:';

/**
 * Takes the lock, says so, and holds it until its owner takes its beat away or has not written it for a minute: programs do not always end
 * with their connection there. The lock is a file that only one program can have open, so it goes with its holder.
 *
 * The first owner notes what the user has had of an agent before. That note and the folders go with the lock when nothing is installed.
 */
const script = (beat: string): string => `$beat="$install\\${beat}"
$until=(Get-Date).AddSeconds(${WAIT_S})
$waits=$false
for(;;){
  try{
    New-Item -ItemType Directory -Force $install|Out-Null
    $lock=[IO.File]::Open("$install\\lock",'OpenOrCreate','ReadWrite','None')
    break
  }catch{
    if(-not $waits){say '${SAYS} waiting';$waits=$true}
    if((Get-Date) -gt $until){say '${SAYS} busy';exit 1}
    Start-Sleep -Milliseconds 500
  }
}
try{
  $kept="$install\\${KEPT}"
  if(-not (Test-Path $kept)){[IO.File]::WriteAllLines($kept,[string[]]@('agent','machine.json'|Where-Object {Test-Path "$data\\$_"}))}
  [IO.File]::WriteAllText($beat,'')
  say '${SAYS} locked'
  while((Test-Path $beat) -and ([DateTime]::UtcNow-[IO.File]::GetLastWriteTimeUtc($beat)).TotalSeconds -lt ${SILENCE_S}){Start-Sleep -Milliseconds 200}
}finally{
  $lock.Close()
  Remove-Item $beat -Force -ErrorAction SilentlyContinue
  if(-not (Get-ChildItem $install|Where-Object {$_.Name -notmatch '^(lock|${KEPT})$'})){Remove-Item $install -Recurse -Force}
  if(-not (Get-ChildItem $data)){Remove-Item $data}
}`;

export async function takeLock(
  ssh: SshConnection,
  place: WindowsPlace,
  { signal, onWait }: { signal: AbortSignal; onWait: () => void },
): Promise<RemoteLock> {
  signal.throwIfAborted();
  const beat = `${BEAT}${randomBytes(8).toString('hex')}`;
  const channel = await ssh.exec(powerShellCommand(`${SAY}\n${place.script}\n${script(beat)}`));
  const closed = new Promise<void>((resolve) => channel.once('close', () => resolve()));
  const sftp = await ssh.openSftp();
  const path = place.sftp(beat);
  try {
    await locked(ssh, channel, { closed, signal, onWait });
  } catch (error) {
    await removeFile(sftp, path);
    channel.close();
    sftp.end();
    throw error;
  }
  return holdLock(ssh, channel, { closed, sftp, path });
}

/** Resolves when it is taken. */
async function locked(
  ssh: SshConnection,
  channel: ClientChannel,
  { closed, signal, onWait }: { closed: Promise<void>; signal: AbortSignal; onWait: () => void },
): Promise<void> {
  let [said, complaint] = ['', ''];
  channel.stderr.on('data', (data: Buffer) => {
    complaint += data.toString();
  });
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    channel.on('data', (data: Buffer) => {
      said += data.toString();
      if (said.includes(`${SAYS} waiting`)) onWait();
      if (said.includes(`${SAYS} locked`)) resolve();
    });
    void closed.then(() => reject(said.includes(`${SAYS} busy`) ? busy(ssh) : unavailable(`${ssh.name}: ${complaint.trim().slice(-300)}`)));
  });
}

function holdLock(
  ssh: SshConnection,
  channel: ClientChannel,
  { closed, sftp, path }: { closed: Promise<void>; sftp: SFTPWrapper; path: string },
): RemoteLock {
  const lost = new AbortController();
  const lose = (): void => lost.abort(takenOver(ssh));
  // It must not come back once its holder has taken it away.
  const beating = setInterval(() => writeExisting(sftp, path, lose), BEAT_MS);
  void closed.then(() => clearInterval(beating));
  channel.once('exit', lose);
  return {
    lost: lost.signal,
    release: async () => {
      clearInterval(beating);
      channel.off('exit', lose);
      await removeFile(sftp, path);
      let limit: NodeJS.Timeout | undefined;
      await Promise.race([closed, new Promise<void>((resolve) => (limit = setTimeout(resolve, RELEASE_MS)))]);
      clearTimeout(limit);
      channel.close();
      sftp.end();
    },
  };
}

function writeExisting(sftp: SFTPWrapper, path: string, onFailure: () => void): void {
  sftp.open(path, 'r+', (error, handle) => {
    if (error) return onFailure();
    sftp.write(handle, Buffer.from('.'), 0, 1, 0, () => sftp.close(handle, () => undefined));
  });
}

function takenOver({ name }: SshConnection): Error {
  return unavailable(`${name} heard nothing of this work for a minute, so that another Lanflow may go on there; try again`);
}

function busy({ name }: SshConnection): Error {
  return deadlineExceeded(`Another Lanflow has been installing on ${name} for ${WAIT_S / 60} minutes; try again when it is done`);
}
