# shellcheck shell=bash disable=SC2154
# The processes of scripts/cluster: started, and found again by a later call. Sourced, never run;
# the caller has set own, the folder of the cluster.

# launch PART COMMAND...: starts a command in its own session, so that it outlives this script and
# can be killed with all its processes.
launch() {
  local part=$1 process_state process_start
  shift
  setsid -- "$@" >>"$own/log/$part.log" 2>&1 </dev/null 9>&- &
  # A command that has ended already is found to be down.
  read_process "$!" || process_start=''
  printf '%s %s\n' "$!" "$process_start" >"$own/run/$part"
}

# read_process PID: sets process_state and process_start, which distinguishes a process from a later
# one with the same id. Fails if there is none. Both come from one read: between two, the process
# might end.
read_process() {
  local line=''
  { IFS= read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  # The name, in parentheses, may contain blanks.
  local -a fields
  read -r -a fields <<<"${line##*) }"
  process_state=${fields[0]} process_start=${fields[19]}
}

# part_pid PART: prints the id of the launched process, if it still runs.
part_pid() {
  local pid began process_state process_start
  read -r pid began 2>/dev/null <"$own/run/$1" || return 1
  read_process "$pid" || return 1
  [ "$process_start" = "$began" ] && [[ $process_state != [ZX] ]] || return 1
  printf '%s' "$pid"
}
