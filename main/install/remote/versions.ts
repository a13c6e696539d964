import { failedPrecondition } from '#proto/wire/status.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { EXPAND } from '../bundle/large-files.ts';
import type { MachineShell } from './machine-shell.ts';
import { DROP, INSTALL, NODE } from './paths.ts';
import { removeFailure } from './remove.ts';
import { quote, runOrFail, runScript } from './shell.ts';
import { partFile, writeFailure } from './upload.ts';

const UNPACK_LIMIT_MS = 180_000;
/** A disk that is busy takes its time over some thousand files. */
const REMOVE_LIMIT_MS = 300_000;
const NODE_DOES_NOT_RUN = 66;

/** Makes a version of an uploaded bundle: it is there as a whole or not at all. FAILED_PRECONDITION when its Node does not run there. */
export async function unpack(shell: MachineShell, bundle: Bundle, signal: AbortSignal): Promise<void> {
  const script = `umask 077
cd ${INSTALL} || exit
rm -rf ${bundle.id}.new && mkdir ${bundle.id}.new && tar -xzf ${partFile(bundle)} -C ${bundle.id}.new || exit 1
${bundle.id}.new/${NODE} -e 0 || exit ${NODE_DOES_NOT_RUN}
${bundle.id}.new/${NODE} -e ${quote(EXPAND)} ${bundle.id}.new || exit 1
rm -rf ${bundle.id} && mv ${bundle.id}.new ${bundle.id} && rm -f ${partFile(bundle)}`;
  await runOrFail(shell, script, {
    signal,
    limitMs: UNPACK_LIMIT_MS,
    explain: (result) => {
      if (result.code !== NODE_DOES_NOT_RUN) return writeFailure(shell, result);
      return failedPrecondition(`The Node that Lanflow brings does not run on ${shell.name}: ${result.stderr.trim().split('\n').at(-1)}`);
    },
  });
}

/** Whether this version is there as a whole. */
export async function isThere(shell: MachineShell, { id }: Pick<Bundle, 'id'>, signal: AbortSignal): Promise<boolean> {
  return (await runScript(shell, `test -x ${INSTALL}/${id}/${NODE}`, { signal })).code === 0;
}

/** From now on this version is the one in use. */
export async function use(shell: MachineShell, id: string): Promise<void> {
  const script = `cd ${INSTALL} && rm -f current.new && ln -s ${id} current.new || exit
# The mv of macOS cannot replace a link to a folder.
mv -fT current.new current 2>/dev/null || { rm -f current && mv current.new current; }`;
  await runOrFail(shell, script, { explain: (result) => writeFailure(shell, result) });
}

/** Takes away what is of no version that is to be kept: other versions, and pieces of work that was broken off. */
export async function removeOthers(shell: MachineShell, kept: readonly string[]): Promise<void> {
  const pattern = kept.filter((id) => id !== '').join('|') || 'none';
  const script = `${DROP}
cd ${INSTALL} || exit 0
for name in *; do
  case "$name" in ${pattern}) ;; *.part|*.new|*.old|${'[0-9a-f]'.repeat(16)}) drop "$name" || exit ;; esac
done`;
  await runOrFail(shell, script, { limitMs: REMOVE_LIMIT_MS, explain: (result) => removeFailure(shell, result) });
}
