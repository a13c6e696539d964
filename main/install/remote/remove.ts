import { unavailable } from '#proto/wire/status.ts';
import type { SshConnection } from '../ssh/ssh-connection.ts';
import { DATA, INSTALL, MADE } from './paths.ts';
import { removeService, stopAgent } from './service.ts';
import { runOrFail } from './shell.ts';

const LIMIT_MS = 60_000;

/**
 * Ends the agent and its tasks and takes away all that an installation has brought and its agent has written. Files of the user's own
 * Lanflow in the same folder stay, and with them the machine's id, which they share. Whether there are such.
 */
export async function removeAll(ssh: SshConnection): Promise<boolean> {
  await stopAgent(ssh);
  await removeService(ssh);
  // An agent that has its address there still is the private one of the user's own app.
  const script = `cd ${INSTALL} || exit
for name in *; do
  case "$name" in lock|${MADE}) ;; *) rm -rf "$name" || exit ;; esac
done
cd ${DATA} || exit
for name in *; do
  case "$name" in install|agent|machine.json|machine.json.lock) ;; *) others=yes ;; esac
done
if [ -n "$others" ]; then
  [ -e agent/agent.json ] || rm -rf agent
  echo others
else
  rm -rf agent machine.json machine.json.lock
fi`;
  const output = await runOrFail(ssh, script, {
    limitMs: LIMIT_MS,
    explain: ({ stderr }) => unavailable(`Not all files of Lanflow on ${ssh.name} could be removed: ${stderr.trim().split('\n').at(-1)}`),
  });
  return output.includes('others');
}
