import { deadlineExceeded, unavailable } from '#proto/wire/status.ts';
import type { MachineShell } from './machine-shell.ts';
import { DATA, FOUND, INSTALL, KEPT, MADE, MAKE_FOLDERS, PLACES } from './paths.ts';
import type { RemoteLock } from './steps.ts';

/** Somebody else's installation takes this long at the most. */
const WAIT_S = 900;

/** An owner that has not been heard of for so long is gone, though its connection may not have noticed. */
const SILENCE_MIN = 1;
const BEAT_MS = 10_000;

const SAYS = 'lanflow-lock:';

/**
 * Takes the lock, says so, and holds it until standard input ends, as it does when the connection breaks off. The owner is this shell:
 * host, process id and when that process began, so that one that is gone is known even after its id has been given away again. It freshens
 * the lock as often as it is told to; one that is told no more is ended by the next. Homes on a file server are shared by machines that
 * cannot see each other's processes, nor agree on the time; there a quarter of an hour counts.
 *
 * The first owner notes what the user has had of an agent before. As long as nothing is installed, that note and all folders that were
 * made go with the lock.
 */
const SCRIPT = `export LC_ALL=C
${PLACES}
${MAKE_FOLDERS}
lock=${INSTALL}/lock
case $system in
  Darwin) began() { ps -o lstart= -p "$1" 2>/dev/null | tr -s ' ' _; } ;;
  *) began() { cut -d' ' -f22 "/proc/$1/stat" 2>/dev/null; } ;;
esac
me="$(uname -n) $$ $(began $$)"
is_stale() {
  set -- $1
  [ $# -eq 3 ] || return 0
  if [ "$1" != "$(uname -n)" ]; then is_silent 15
  elif [ "$(began "$2")" = "$3" ]; then is_silent ${SILENCE_MIN} && kill -KILL "$2" 2>/dev/null
  fi
}
is_silent() { [ -n "$(find "$lock" -mmin +$1 2>/dev/null)" ]; }
beat() { touch -c "$lock"; }
remove_folders() { sort -r | while read -r folder; do rmdir "$folder" 2>/dev/null; done; }
give_up() {
  rm -f "$lock.$$"
  [ -z "$made" ] || rm -f ${INSTALL}/${MADE}
  printf '%s' "$made" | remove_folders
  exit 1
}
take() {
  make_folder ${INSTALL} && note_folders && printf '%s\\n' "$me" > "$lock.$$" || give_up
  made=
  ln "$lock.$$" "$lock" 2>/dev/null; taken=$?
  rm -f "$lock.$$"
  return $taken
}
note_kept() {
  [ ! -e ${INSTALL}/${KEPT} ] || return 0
  for name in ${FOUND}; do [ ! -e ${DATA}/$name ] || echo $name; done > "$lock.$$" && mv "$lock.$$" ${INSTALL}/${KEPT}
}
release() {
  if ls -A ${INSTALL} 2>/dev/null | grep -qvxE 'lock|${MADE}|${KEPT}'; then rm -f "$lock"; return; fi
  folders=$(cat ${INSTALL}/${MADE} 2>/dev/null)
  rm -f ${INSTALL}/${MADE} ${INSTALL}/${KEPT} "$lock"
  printf '%s\\n' "$folders" | remove_folders
}
waited=0
odd=0
until take; do
  [ $odd -lt 50 ] || { echo "no lock can be made in ${INSTALL}" >&2; release; exit 1; }
  owner=$(cat "$lock" 2>/dev/null)
  if is_stale "$owner"; then
    odd=$((odd + 1))
    if mv "$lock" "$lock.$$" 2>/dev/null; then
      # Another one may have broken it and taken it since it was read.
      [ "$(cat "$lock.$$")" = "$owner" ] || ln "$lock.$$" "$lock" 2>/dev/null
      rm -f "$lock.$$"
    else
      sleep 0.1
    fi
  else
    [ $waited -gt 0 ] || echo "${SAYS} waiting"
    [ $waited -lt ${WAIT_S} ] || { echo "${SAYS} busy"; exit 1; }
    waited=$((waited + 1))
    sleep 1
  fi
done
trap release EXIT
trap 'exit 1' HUP INT TERM PIPE
note_kept || exit
echo "${SAYS} locked"
`;

/** Waits for others to finish; `onWait` is called when it has to. RESOURCE_EXHAUSTED and the like when it cannot be made. */
export async function takeLock(shell: MachineShell, { signal, onWait }: { signal: AbortSignal; onWait: () => void }): Promise<RemoteLock> {
  signal.throwIfAborted();
  const holder = await shell.exec('exec /bin/sh');
  const closed = new Promise<void>((resolve) => holder.once('close', () => resolve()));
  holder.stdin.on('error', () => undefined);
  let [said, complaint] = ['', ''];
  // Start files of the login shell may print what they like.
  const says = (what: string): boolean => said.includes(`${SAYS} ${what}\n`);
  holder.stderr.on('data', (data: Buffer) => {
    complaint += data.toString();
  });
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      holder.stdout.on('data', (data: Buffer) => {
        said += data.toString();
        if (says('waiting')) onWait();
        if (says('locked')) resolve();
      });
      void closed.then(() => reject(says('busy') ? busy(shell) : unavailable(`${shell.name}: ${complaint.trim().slice(-300)}`)));
      holder.stdin.write(SCRIPT);
    });
  } catch (error) {
    holder.stdin.end();
    holder.close();
    throw error;
  }
  const lost = new AbortController();
  const beating = setInterval(() => holder.stdin.write('beat\n'), BEAT_MS);
  void closed.then(() => clearInterval(beating));
  // Without a connection there is no word of an exit.
  const onExit = (): void => lost.abort(takenOver(shell));
  holder.once('exit', onExit);
  return {
    lost: lost.signal,
    release: async () => {
      clearInterval(beating);
      holder.off('exit', onExit);
      holder.stdin.end();
      await closed;
    },
  };
}

function takenOver({ name }: MachineShell): Error {
  return unavailable(`${name} heard nothing of this work for a minute, so that another Lanflow may go on there; try again`);
}

function busy({ name }: MachineShell): Error {
  return deadlineExceeded(`Another Lanflow has been installing on ${name} for ${WAIT_S / 60} minutes; try again when it is done`);
}
