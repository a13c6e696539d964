import { unavailable } from '#proto/wire/status.ts';
import type { SshConnection } from '../ssh/ssh-connection.ts';
import { LAUNCHD_IS_THERE, LAUNCHD_IS_UP, LAUNCHD_REMOVE, LAUNCHD_STOP, launchdStart } from './launchd.ts';
import { AGENT, DATA, INSTALL, LINGER, LOG, MAKE_FOLDERS, NODE, PID, SYSTEMD_ENV, UNIT, UNIT_FOLDER } from './paths.ts';
import { OWN_PROCESSES } from './processes.ts';
import { type RunOptions, runOrFail, runScript } from './shell.ts';
import type { ServiceKind } from './steps.ts';
import { writeFailure } from './upload.ts';

const START_S = 20;
const LIMIT_MS = 60_000;
const NO_SERVICE = 67;

/** `%h` is the home, in which no character means anything to systemd then. */
const HOME = '%h/.local/share/lanflow';

/** The agent of the version in use, as a service of the user. Its tasks end with it. */
const UNIT_TEXT = `[Unit]
Description=Lanflow agent
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
ExecStart="${HOME}/install/current/${NODE}" "${HOME}/install/current/${AGENT}" --data "${HOME}" --lan
StandardOutput=append:${HOME}/install/${LOG}
StandardError=append:${HOME}/install/${LOG}
Restart=on-failure
RestartSec=5
TimeoutStopSec=10

[Install]
WantedBy=default.target
`;

const SYSTEMD_START = `${SYSTEMD_ENV}
${MAKE_FOLDERS}
user=$(id -un)
if [ "$(loginctl show-user "$user" --property=Linger --value 2>/dev/null)" != yes ]; then
  loginctl enable-linger "$user" 2>/dev/null || exit ${NO_SERVICE}
  : > ${INSTALL}/${LINGER}
fi
make_folder ${UNIT_FOLDER}/default.target.wants && note_folders || exit
cat > ${UNIT_FOLDER}/${UNIT} <<'END'
${UNIT_TEXT}END
systemctl --user daemon-reload && systemctl --user --quiet enable ${UNIT} && systemctl --user restart ${UNIT} || exit
is_alive() { systemctl --user --quiet is-active ${UNIT}; }`;

/** The SSH server has made a session for it; macOS has no command that makes another. */
const DETACHED = `case $system in Darwin) detach= ;; *) detach=setsid ;; esac
current=${INSTALL}/current
rm -f ${INSTALL}/${PID}
$detach sh -c 'echo $$ > "$1"; shift; exec "$@"' sh ${INSTALL}/${PID} "$current"/${NODE} "$current"/${AGENT} --data ${DATA} --lan </dev/null >> ${INSTALL}/${LOG} 2>&1 &
is_alive() { [ ! -s ${INSTALL}/${PID} ] || kill -0 "$(cat ${INSTALL}/${PID})" 2>/dev/null; }`;

const AWAIT_READY = `tries=0
until grep -q '^ready ' ${INSTALL}/${LOG} 2>/dev/null; do
  tries=$((tries + 1))
  if ! is_alive || [ $tries -gt ${START_S * 5} ]; then tail -n 5 ${INSTALL}/${LOG} >&2; exit 1; fi
  sleep 0.2
done`;

const SERVICES = { systemd: SYSTEMD_START, launchd: launchdStart(NO_SERVICE) };

export async function startAgent(
  ssh: SshConnection,
  manager: keyof typeof SERVICES | undefined,
  options: RunOptions,
): Promise<ServiceKind> {
  const start = (how: string) =>
    runScript(ssh, `umask 077\n: > ${INSTALL}/${LOG}\n${how}\n${AWAIT_READY}`, { ...options, limitMs: LIMIT_MS });
  const service = manager && (await start(SERVICES[manager]));
  // A service that ends when its user logs out is of no use.
  const isService = service !== undefined && service.code !== NO_SERVICE;
  const { code, stderr } = isService ? service : await start(DETACHED);
  if (code === 0) return isService && manager ? manager : 'detached';
  throw unavailable(`The agent does not start on ${ssh.name}: ${lastWords(stderr)}`);
}

export async function runningAs(ssh: SshConnection): Promise<ServiceKind | undefined> {
  const script = `${SYSTEMD_ENV}
${OWN_PROCESSES}
grep -q '^ready ' ${INSTALL}/${LOG} 2>/dev/null || exit 0
if [ -e ${UNIT_FOLDER}/${UNIT} ] && systemctl --user --quiet is-active ${UNIT}; then echo systemd
elif ${LAUNCHD_IS_THERE} && ${LAUNCHD_IS_UP}; then echo launchd
elif is_own_agent "$(cat ${INSTALL}/${PID} 2>/dev/null)"; then echo detached; fi`;
  const { stdout } = await runScript(ssh, script);
  const kind = stdout.trim();
  return kind === 'systemd' || kind === 'launchd' || kind === 'detached' ? kind : undefined;
}

/** Of an agent that does not start: its own sentence where it has one. */
export function lastWords(text: string): string {
  const lines = text.trim().split('\n');
  const own = lines.find((line) => line.startsWith('lanflow agent: '));
  return own?.replace(/^lanflow agent: ([A-Z_]+: )?/, '') ?? (lines.join(' ').slice(-500) || 'it says nothing');
}

export async function stopAgent(ssh: SshConnection): Promise<void> {
  const script = `${SYSTEMD_ENV}
${OWN_PROCESSES}
[ ! -e ${UNIT_FOLDER}/${UNIT} ] || systemctl --user stop ${UNIT} >/dev/null 2>&1
${LAUNCHD_STOP}
for signal in TERM KILL; do
  tries=0
  pids=$(own_processes)
  [ -z "$pids" ] || kill -$signal $pids 2>/dev/null
  while [ -n "$(own_processes)" ] && [ $tries -lt 50 ]; do tries=$((tries + 1)); sleep 0.2; done
done
rm -f ${INSTALL}/${PID}
pids=$(own_processes)
[ -z "$pids" ] || { echo "the processes $pids do not end" >&2; exit 1; }`;
  await runOrFail(ssh, script, {
    limitMs: LIMIT_MS,
    explain: ({ stderr }) => unavailable(`The agent of ${ssh.name} cannot be stopped: ${stderr.trim()}`),
  });
}

/** Takes the service away, and its staying on after logouts where it was turned on for it. The agent has been stopped. */
export async function removeService(ssh: SshConnection): Promise<void> {
  const script = `${SYSTEMD_ENV}
if [ -e ${UNIT_FOLDER}/${UNIT} ]; then
  systemctl --user --quiet disable ${UNIT} 2>/dev/null
  rm -f ${UNIT_FOLDER}/${UNIT} ${UNIT_FOLDER}/default.target.wants/${UNIT}
  systemctl --user daemon-reload
  systemctl --user reset-failed ${UNIT} 2>/dev/null
fi
${LAUNCHD_REMOVE}
[ ! -e ${INSTALL}/${LINGER} ] || { loginctl disable-linger "$(id -un)" && rm -f ${INSTALL}/${LINGER}; }`;
  await runOrFail(ssh, script, { explain: (result) => writeFailure(ssh, result) });
}
