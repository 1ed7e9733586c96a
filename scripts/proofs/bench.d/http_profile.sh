# shellcheck shell=bash
# Profile of a read, for scripts/proofs/bench http --profile. Sourced after lib.sh; the caller has
# set folder, api (the process of hearth-api) and server (that of PostgreSQL).
# shellcheck disable=SC2154 # the caller sets what is used here

# processor_ticks PROCESS: prints its user and kernel time so far, with children, in clock ticks.
processor_ticks() {
  # Processes that exit in the meantime are counted by their parent.
  { cat /proc/[0-9]*/stat 2>/dev/null || true; } | awk -v root="$1" '
    {
      pid = $1
      sub(/^.*\) /, "")
      # State, parent, ...; from the 12th: user and kernel time, and those of ended children.
      if (pid == root) { user += $12 + $14; kernel += $13 + $15 }
      else if ($2 == root) { user += $12; kernel += $13 }
    }
    END { print user + 0, kernel + 0 }'
}

# with_times NAME PROCESS COMMAND...: runs the command, and notes what PROCESS, PostgreSQL and the
# command itself spent meanwhile in "$folder/times-NAME", in milliseconds.
with_times() {
  local name=$1 process=$2 before after
  shift 2
  before="$(processor_ticks "$process") $(processor_ticks "$server")"
  TIMEFORMAT='%3U %3S'
  { time "$@" 2>/dev/null; } 2>"$folder/times"
  after="$(processor_ticks "$process") $(processor_ticks "$server")"
  printf '%s %s %s\n' "$before" "$after" "$(tail -1 "$folder/times")" |
    awk -v tick="$(getconf CLK_TCK)" '{
      for (i = 1; i <= 4; i++) printf "%.1f ", ($(i + 4) - $i) * 1000 / tick
      printf "%.1f %.1f\n", $9 * 1000, $10 * 1000 }' >>"$folder/times-$name"
}

# Prints the table: microseconds per read, over all rounds.
profile_table() {
  local name
  printf '\n%-24s %9s %6s %12s %6s %6s %6s %6s\n' 'processor time (us)' server kernel PostgreSQL \
    kernel wrk kernel sum
  for name in members members-go-protected members-go members-fastapi; do
    if [ ! -f "$folder/times-$name" ]; then continue; fi
    paste "$folder/times-$name" "$folder/http-$name.requests" | awk -v name="$name" '
      { for (i = 1; i <= 6; i++) t[i] += $i; n += $7 }
      END {
        sub(/members-?/, "", name)
        if (name == "") name = "hearth"
        for (i = 1; i <= 6; i++) { us[i] = t[i] * 1000 / n; sum += us[i] }
        printf "%-24s %9.1f %6.1f %12.1f %6.1f %6.1f %6.1f %6.1f\n", name, us[1], us[2], us[3],
          us[4], us[5], us[6], sum }'
  done
  printf 'Each first in its own code, then in the kernel.\n'
  instructions "$@"
  symbols "$@"
}

# instructions COMMAND...: prints the instructions of hearth-api's own code per read, if perf can
# count them.
instructions() {
  local count requests
  if ! command -v perf >/dev/null ||
    ! perf stat -x, -e instructions:u true 2>&1 | grep -q '^[0-9][0-9]*,'; then
    printf 'This machine counts no instructions.\n'
    return 0
  fi
  requests=$(perf stat -x, -e instructions:u -p "$api" -o "$folder/stat" -- "$@" |
    sed -n 's/.*requests \([0-9]*\).*/\1/p')
  count=$(sed -n 's/^\([0-9]*\),.*/\1/p' "$folder/stat")
  printf 'Instructions of hearth-api a read: %d\n' $((count / requests))
}

# symbols COMMAND...: prints the functions with the most time in the samples of perf.
symbols() {
  if ! command -v perf >/dev/null ||
    ! perf record -q -a -e cpu-clock -F 997 -o "$folder/perf" -- "$@" >/dev/null 2>&1; then
    printf 'perf is not there, or may not watch this machine: no functions.\n'
    return 0
  fi
  largest hearth-api --pid "$api"
  largest PostgreSQL --comms postgres
}

# largest NAME OPTION VALUE: prints the largest functions of the processes that the option selects.
largest() {
  printf '\nThe largest functions of %s, in percent of its time:\n' "$1"
  perf report -q --stdio -i "$folder/perf" "$2" "$3" --percentage relative --sort symbol \
    2>/dev/null | sed -n 's/^ *\([0-9.]*%\) *\(.*[^ -]\)[ -]*$/  \1 \2/p' | awk 'NR <= 20' |
    swift demangle --compact --simplified | cut -c 1-150
}
