import { AGENT, LOG, MAKE_FOLDERS, NODE } from './paths.ts';

const LABEL = 'org.lanflow.agent';
const PLIST_FOLDER = '"$HOME"/Library/LaunchAgents';
const PLIST = `${PLIST_FOLDER}/${LABEL}.plist`;

/** Exists after any login, by SSH too, and stays until the machine is shut down; that of the screen exists only while somebody sits there. */
const DOMAIN = 'user/$(id -u)';

/** It knows no variables. Tasks are ended by their agent, not by launchd. Umask: 077. */
const PLIST_LINES = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
  '<plist version="1.0"><dict>',
  `<key>Label</key><string>${LABEL}</string>`,
  '<key>ProgramArguments</key><array>',
  ...[`$place/install/current/${NODE}`, `$place/install/current/${AGENT}`, '--data', '$place', '--lan', '--keep-tasks'].map(
    (argument) => `<string>${argument}</string>`,
  ),
  '</array>',
  '<key>RunAtLoad</key><true/>',
  '<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
  '<key>ExitTimeOut</key><integer>10</integer>',
  '<key>AbandonProcessGroup</key><true/>',
  '<key>ProcessType</key><string>Interactive</string>',
  '<key>LimitLoadToSessionType</key><string>Background</string>',
  '<key>Umask</key><integer>63</integer>',
  `<key>StandardOutPath</key><string>$place/install/${LOG}</string>`,
  `<key>StandardErrorPath</key><string>$place/install/${LOG}</string>`,
  '</dict></plist>',
];

/**
 * Script of sh that starts the agent as a launchd agent of the user; `is_alive` says whether it is up. Exits with `refused` when launchd
 * takes none.
 */
export function launchdStart(refused: number): string {
  return `${MAKE_FOLDERS}
place=$(printf '%s' "$data" | sed -e 's/&/\\&amp;/g' -e 's/</\\&lt;/g' -e 's/>/\\&gt;/g')
make_folder ${PLIST_FOLDER} && note_folders || exit
cat > ${PLIST} <<END
${PLIST_LINES.join('\n')}
END
launchctl bootout ${DOMAIN}/${LABEL} 2>/dev/null
launchctl enable ${DOMAIN}/${LABEL} 2>/dev/null
tries=0
until launchctl bootstrap ${DOMAIN} ${PLIST} >/dev/null 2>&1; do
  # One that ends just now may be in the way.
  tries=$((tries + 1))
  [ $tries -lt 5 ] || { rm -f ${PLIST}; exit ${refused}; }
  sleep 0.5
done
is_alive() { ${LAUNCHD_IS_UP}; }`;
}

/** Commands of sh: whether the agent runs as one of launchd, to stop it, and to take it away. */
export const LAUNCHD_IS_UP = `launchctl print ${DOMAIN}/${LABEL} 2>/dev/null | grep -q 'state = running'`;
export const LAUNCHD_STOP = `[ ! -e ${PLIST} ] || launchctl bootout ${DOMAIN}/${LABEL} >/dev/null 2>&1`;
export const LAUNCHD_REMOVE = `rm -f ${PLIST}`;
export const LAUNCHD_IS_THERE = `[ -e ${PLIST} ]`;
