import { AGENT, INSTALL } from './paths.ts';

/**
 * Functions of sh: processes that run a Node and a program of the installation, whoever has started them; whether a process is one of
 * these, and the agents among them. macOS has no /proc.
 */
export const OWN_PROCESSES = `command_of() { tr '\\0' '\\n' < "/proc/$1/cmdline" 2>/dev/null | head -n 3; }
is_own() {
  case "$(readlink "/proc/$1/exe" 2>/dev/null)" in */node|*'/node (deleted)') ;; *) return 1 ;; esac
  command_of "$1" | grep -qF ${INSTALL}/
}
is_own_agent() { [ -n "$1" ] && is_own "$1" && command_of "$1" | grep -qF /${AGENT}; }
own_processes() {
  for process in /proc/[0-9]*; do
    is_own "\${process#/proc/}" && printf '%s\\n' "\${process#/proc/}"
  done
}
own_agents() {
  for pid in $(own_processes); do
    is_own_agent "$pid" && printf '%s\\n' "$pid"
  done
}
[ "$system" != Darwin ] || {
  command_of() { ps -ww -o command= -p "$1" 2>/dev/null; }
  is_own() { case "$(command_of "$1")" in */node\\ *${INSTALL}/*/dist/task-server/*) ;; *) return 1 ;; esac; }
  own_processes() {
    ps -xww -o pid= -o command= | while read -r pid command; do
      case "$command" in */node\\ *${INSTALL}/*/dist/task-server/*) printf '%s\\n' "$pid" ;; esac
    done
  }
}`;
