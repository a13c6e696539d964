import { unavailable } from '#proto/wire/status.ts';
import type { MachineShell } from './machine-shell.ts';
import { DATA, DROP, INSTALL, KEPT, MADE } from './paths.ts';
import { removeService, stopAgent } from './service.ts';
import { runOrFail, type ScriptResult } from './shell.ts';
import type { Removed } from './steps.ts';

const LIMIT_MS = 60_000;

/**
 * Ends the agent and its tasks and takes away all that an installation has brought and its agent has written. What the user has had
 * there before stays, and files of the user's own Lanflow in the same folder, and with them the machine's id, which they share.
 */
export async function removeAll(shell: MachineShell): Promise<Removed> {
  await stopAgent(shell);
  await removeService(shell);
  // An agent that is alive by now was started by somebody else: by the user's own app, or by hand.
  const script = `${DROP}
cd ${INSTALL} || exit
for name in *; do
  case "$name" in lock|${MADE}|${KEPT}) ;; *) drop "$name" || exit ;; esac
done
cd ${DATA} || exit
sed -n 's/^ *"id": *"\\([0-9a-f]\\{16\\}\\)".*/machine=\\1/p' machine.json 2>/dev/null
is_kept() { grep -qx "$1" ${INSTALL}/${KEPT}; }
pid=$(sed -n 's/^ *"pid": *\\([0-9]*\\).*/\\1/p' agent/agent.json 2>/dev/null)
is_kept agent || { [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; } || rm -rf agent || exit
if ls -A | grep -qvxE 'install|environments\\.txt|machine\\.json(\\.lock)?'; then echo others
elif is_kept machine.json; then echo others
else rm -f machine.json machine.json.lock; fi`;
  const output = await runOrFail(shell, script, {
    limitMs: LIMIT_MS,
    explain: (result) => removeFailure(shell, result),
  });
  return { machine: /^machine=(.*)$/m.exec(output)?.[1] ?? '', hasOthers: output.includes('others') };
}

/** Why something could not be removed there. */
export function removeFailure({ name }: MachineShell, { stderr }: ScriptResult): Error {
  return unavailable(`Not all files of Lanflow on ${name} could be removed: ${stderr.trim().split('\n').at(-1)}`);
}
