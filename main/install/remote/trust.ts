import { failedPrecondition, internal } from '#proto/wire/status.ts';
import type { MachineShell } from './machine-shell.ts';
import { AGENT, DATA, EARLIER_TRUST, INSTALL, NODE } from './paths.ts';
import { quote, type RunOptions, runOrFail } from './shell.ts';
import type { CertificateRequest, Enroll } from './steps.ts';
import { writeFailure } from './upload.ts';

/** Makes the machine one of the lab, by the agent program of a version. FAILED_PRECONDITION when that refuses, with its words. */
export async function pair(shell: MachineShell, id: string, { enroll, ...options }: RunOptions & { enroll: Enroll }): Promise<void> {
  const agent = `${INSTALL}/${id}/${NODE} ${INSTALL}/${id}/${AGENT} trust`;
  const explain = ({ stderr }: { stderr: string }): Error => refusal(shell, stderr);
  const output = await runOrFail(shell, `${agent} request --data ${DATA}`, { ...options, explain });
  const trust = await enroll(parseRequest(output, shell.name));
  options.signal?.throwIfAborted();
  await runOrFail(shell, `printf '%s' ${quote(JSON.stringify(trust))} | ${agent} accept --data ${DATA}`, { ...options, explain });
}

/** Notes the trust that is there, so that `putTrustBack` can bring it back. What an attempt that broke off had noted counts still. */
export async function noteTrust(shell: MachineShell, options: RunOptions): Promise<void> {
  const script = `umask 077
cd ${INSTALL} || exit
[ ! -e ${EARLIER_TRUST} ] || [ -L current ] || exit 0
rm -rf ${EARLIER_TRUST} ${EARLIER_TRUST}.new && mkdir ${EARLIER_TRUST}.new || exit
set -- ${DATA}/agent/trust/*.pem
[ ! -e "$1" ] || cp -p "$@" ${EARLIER_TRUST}.new && mv ${EARLIER_TRUST}.new ${EARLIER_TRUST}`;
  await runOrFail(shell, script, { ...options, explain: (result) => writeFailure(shell, result) });
}

/** The machine belongs to the lab again, or to none, that it belonged to when it was noted; without a note nothing changes. */
export async function putTrustBack(shell: MachineShell): Promise<void> {
  const script = `cd ${INSTALL}/${EARLIER_TRUST} 2>/dev/null || exit 0
rm -f ${DATA}/agent/trust/*.pem
[ -z "$(ls)" ] || cp -p *.pem ${DATA}/agent/trust/ && rm -rf ${INSTALL}/${EARLIER_TRUST}`;
  await runOrFail(shell, script, { explain: (result) => writeFailure(shell, result) });
}

/** Ends what `noteTrust` has begun: the trust that is there now counts. */
export async function forgetEarlierTrust(shell: MachineShell): Promise<void> {
  await runOrFail(shell, `rm -rf ${INSTALL}/${EARLIER_TRUST}`, { explain: (result) => writeFailure(shell, result) });
}

/** Why the agent program did not do it. */
export function refusal({ name }: MachineShell, stderr: string): Error {
  const words = stderr.trim().split('\n').at(-1);
  return failedPrecondition(`${name} cannot become a machine of the lab: ${words?.replace(/^lanflow agent: /, '')}`);
}

/** What the agent program has printed. */
export function parseRequest(output: string, name: string): CertificateRequest {
  try {
    const { machine, request }: { machine?: unknown; request?: unknown } = JSON.parse(output.trim().split('\n').at(-1) ?? '');
    if (typeof machine === 'string' && typeof request === 'string') return { machine, request };
  } catch (error) {
    throw internal(`The agent program on ${name} answered with something else than a request: ${output.slice(0, 200)}`, { cause: error });
  }
  throw internal(`The agent program on ${name} answered with an incomplete request: ${output.slice(0, 200)}`);
}
