import { unavailable } from '#proto/wire/status.ts';
import { LAUNCHD_IS_THERE, LAUNCHD_IS_UP, LAUNCHD_REMOVE, LAUNCHD_STOP, launchdStart } from './launchd.ts';
import type { MachineShell } from './machine-shell.ts';
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

/**
 * The agent of the version in use, as a service of the user. Its tasks are no part of the service that could end with it: a crash, a restart
 * of the unit or a task that takes all memory concerns one process only.
 */
const UNIT_TEXT = `[Unit]
Description=Lanflow agent
StartLimitIntervalSec=300
StartLimitBurst=60

[Service]
ExecStart="${HOME}/install/current/${NODE}" "${HOME}/install/current/${AGENT}" --data "${HOME}" --lan --keep-tasks
StandardOutput=append:${HOME}/install/${LOG}
StandardError=append:${HOME}/install/${LOG}
Restart=on-failure
RestartSec=2
TimeoutStopSec=10
KillMode=process
OOMPolicy=continue

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
$detach sh -c 'echo $$ > "$1"; shift; exec "$@"' sh ${INSTALL}/${PID} "$current"/${NODE} "$current"/${AGENT} --data ${DATA} --lan --keep-tasks </dev/null >> ${INSTALL}/${LOG} 2>&1 &
is_alive() { [ ! -s ${INSTALL}/${PID} ] || kill -0 "$(cat ${INSTALL}/${PID})" 2>/dev/null; }`;

const AWAIT_READY = `tries=0
until grep -q '^ready ' ${INSTALL}/${LOG} 2>/dev/null; do
  tries=$((tries + 1))
  if ! is_alive || [ $tries -gt ${START_S * 5} ]; then tail -n 5 ${INSTALL}/${LOG} >&2; exit 1; fi
  sleep 0.2
done`;

const SERVICES = { systemd: SYSTEMD_START, launchd: launchdStart(NO_SERVICE) };

export async function startAgent(
  shell: MachineShell,
  manager: keyof typeof SERVICES | undefined,
  options: RunOptions,
): Promise<ServiceKind> {
  const start = (how: string) =>
    runScript(shell, `umask 077\n: > ${INSTALL}/${LOG}\n${how}\n${AWAIT_READY}`, { ...options, limitMs: LIMIT_MS });
  const service = manager && (await start(SERVICES[manager]));
  // A service that ends when its user logs out is of no use.
  const isService = service !== undefined && service.code !== NO_SERVICE;
  const { code, stderr } = isService ? service : await start(DETACHED);
  if (code === 0) return isService && manager ? manager : 'detached';
  throw unavailable(`The agent does not start on ${shell.name}: ${lastWords(stderr)}`);
}

export async function runningAs(shell: MachineShell): Promise<ServiceKind | undefined> {
  const script = `${SYSTEMD_ENV}
${OWN_PROCESSES}
grep -q '^ready ' ${INSTALL}/${LOG} 2>/dev/null || exit 0
if [ -e ${UNIT_FOLDER}/${UNIT} ] && systemctl --user --quiet is-active ${UNIT}; then echo systemd
elif ${LAUNCHD_IS_THERE} && ${LAUNCHD_IS_UP}; then echo launchd
elif is_own_agent "$(cat ${INSTALL}/${PID} 2>/dev/null)"; then echo detached; fi`;
  const { stdout } = await runScript(shell, script);
  const kind = stdout.trim();
  return kind === 'systemd' || kind === 'launchd' || kind === 'detached' ? kind : undefined;
}

/** Of an agent that does not start: its own sentence where it has one. */
export function lastWords(text: string): string {
  const lines = text.trim().split('\n');
  const own = lines.find((line) => line.startsWith('lanflow agent: '));
  return own?.replace(/^lanflow agent: ([A-Z_]+: )?/, '') ?? (lines.join(' ').slice(-500) || 'it says nothing');
}

const STOPPING = `${SYSTEMD_ENV}
${OWN_PROCESSES}
until_none() { tries=0; while [ -n "$($1)" ] && [ $tries -lt 50 ]; do tries=$((tries + 1)); sleep 0.2; done; }
stop_unit() {
  [ ! -e ${UNIT_FOLDER}/${UNIT} ] || systemctl --user stop ${UNIT} >/dev/null 2>&1
  ${LAUNCHD_STOP}
}
end() {
  for signal in TERM KILL; do
    pids=$($1)
    [ -z "$pids" ] || kill -$signal $pids 2>/dev/null
    until_none $1
  done
  rm -f ${INSTALL}/${PID}
  pids=$($1)
  [ -z "$pids" ] || { echo "the processes $pids do not end" >&2; exit 1; }
}`;

/** Upon that signal the agent ends its tasks and forgets them. Those of one that has crashed are ended without it. */
const STOP_ALL = `agents=$(own_agents)
[ -z "$agents" ] || kill -INT $agents 2>/dev/null
until_none own_agents
stop_unit
end own_processes
pid=$(sed -n 's/^ *"pid": *\\([0-9]*\\).*/\\1/p' ${DATA}/agent/agent.json 2>/dev/null)
{ [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; } || rm -rf ${DATA}/agent/tasks`;

const STOP_AGENT = `stop_unit
end own_agents`;

export function stopAgent(shell: MachineShell): Promise<void> {
  return stop(shell, STOP_ALL);
}

export function stopAgentOnly(shell: MachineShell): Promise<void> {
  return stop(shell, STOP_AGENT);
}

async function stop(shell: MachineShell, how: string): Promise<void> {
  await runOrFail(shell, `${STOPPING}\n${how}`, {
    limitMs: LIMIT_MS,
    explain: ({ stderr }) => unavailable(`The agent of ${shell.name} cannot be stopped: ${stderr.trim()}`),
  });
}

/** Takes the service away, and its staying on after logouts where it was turned on for it. The agent has been stopped. */
export async function removeService(shell: MachineShell): Promise<void> {
  const script = `${SYSTEMD_ENV}
if [ -e ${UNIT_FOLDER}/${UNIT} ]; then
  systemctl --user --quiet disable ${UNIT} 2>/dev/null
  rm -f ${UNIT_FOLDER}/${UNIT} ${UNIT_FOLDER}/default.target.wants/${UNIT}
  systemctl --user daemon-reload
  systemctl --user reset-failed ${UNIT} 2>/dev/null
fi
${LAUNCHD_REMOVE}
[ ! -e ${INSTALL}/${LINGER} ] || { loginctl disable-linger "$(id -un)" && rm -f ${INSTALL}/${LINGER}; }`;
  await runOrFail(shell, script, { explain: (result) => writeFailure(shell, result) });
}
