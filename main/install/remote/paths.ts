/** Sets the variables of sh that the words below are made of; each script begins with it. Fits into a word in single quotes. */
export const PLACES = [
  'system=$(uname -s)',
  'case $system in Darwin) data="$HOME/Library/Application Support/Lanflow" ;; *) data="$HOME/.local/share/lanflow" ;; esac',
].join('; ');

/** Where everything of an installation lies, as words for sh; the same place that the installed agent uses by default. */
export const DATA = '"$data"';
export const INSTALL = `${DATA}/install`;
export const UNIT = 'lanflow-agent.service';
export const UNIT_FOLDER = '"$HOME"/.config/systemd/user';

/** Of a bundle's content. */
export const NODE = 'node/node';
export const AGENT = 'dist/task-server/agent.js';

/**
 * What is in INSTALL besides the versions: folders that were not there before, what of FOUND was there, the trust that an installation
 * under way replaces, that linger is ours, what the agent has printed.
 */
export const MADE = 'made-folders';
export const KEPT = 'kept-files';
export const EARLIER_TRUST = 'earlier-trust';
export const LINGER = 'linger-was-off';
export const LOG = 'agent.log';
export const PID = 'agent.pid';

/** What in DATA an agent keeps: its keys, the machine's id. The user may have had them before, of an agent started by hand. */
export const FOUND = 'agent machine.json';

/** Function of sh: removes what may be a version, under another name, so that half of one is never taken for a whole. */
export const DROP = `drop() {
  case "$1" in *.old) rm -rf "$1" ;; *) mv -f "$1" "$1.old" && rm -rf "$1.old" ;; esac
}`;

/** `systemctl --user` finds its bus by it; a login without PAM lacks it. */
export const SYSTEMD_ENV = '[ -n "$XDG_RUNTIME_DIR" ] || XDG_RUNTIME_DIR=/run/user/$(id -u); export XDG_RUNTIME_DIR';

/** Functions of sh: a folder is made, and noted so that it can be taken away again. */
export const MAKE_FOLDERS = `umask 077
make_folder() {
  [ -d "$1" ] && return
  make_folder "$(dirname "$1")" && mkdir "$1" || return
  made="$made$1
"
}
note_folders() { [ -z "$made" ] || printf '%s' "$made" >> ${INSTALL}/${MADE}; }
made=`;
