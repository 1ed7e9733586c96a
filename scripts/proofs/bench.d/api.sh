# shellcheck shell=bash
# Functions for measurements of a running API. Sourced after lib.sh; the caller has set bin and
# folder.
# shellcheck disable=SC2154 # lib.sh and the caller set these variables

# Also used by the caller.
# shellcheck disable=SC2034
peers=$checkout/scripts/proofs/bench.d/peers
issuer=https://hearth.localhost/auth/v1

# Builds the named programs and sets bin, unless bin is given.
build_release() {
  local product
  local -a options=(-c release --static-swift-stdlib)
  if [ -n "$bin" ]; then return 0; fi
  find_swift
  for product in "$@"; do swift build "${options[@]}" --product "$product" >&2; done
  bin=$(swift build "${options[@]}" --show-bin-path)
}

# start_api DATABASE_URL [COMMAND...]: starts hearth-api, by this command if there is one, and sets
# api_pid and api_listen.
start_api() {
  local tries=20000 url=$1
  shift
  make_local_issuer "$folder/issuers"
  make_secret "$folder/secret-key"
  api_listen=127.0.0.1:$(python3 -c \
    'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  HEARTH_LISTEN=$api_listen HEARTH_DATABASE_URL=$url HEARTH_PUBLIC_URL=http://$api_listen \
    HEARTH_SECRET_KEY_FILE=$folder/secret-key HEARTH_ISSUERS_FILE=$folder/issuers/issuers.json \
    HEARTH_LOG_LEVEL=info "$@" "${api_bin:-$bin}/hearth-api" 2>/dev/null &
  api_pid=$!
  until http "$api_listen" GET /healthz '' '' && [ "$http_status" = 200 ]; do
    [ $((tries--)) -gt 0 ] || fail 70 "hearth-api does not start"
  done
}

# requests KIND FIRST COUNT FAMILIES STRIDE: prints requests for wrk, one per line.
requests() {
  python3 "$peers/requests.py" "$issuer" "$folder/issuers/local.secret" "$@"
}

# drive LISTEN SECONDS FILE [HOW]: sets rate, p50, p99 (milliseconds) and bad. The requests of the
# file are made again and again, or, if HOW is 'once', one after the other to their end.
drive() {
  local result order=(again)
  if [ "${4:-}" = once ]; then order=("${drive_threads:-1}"); fi
  result=$(wrk -t "${drive_threads:-1}" -c "${drive_connections:-32}" -d "$2" \
    -s "$peers/requests.lua" "http://$1" -- "$3" "${order[@]}" | tail -1)
  read -r _ _ _ rate _ p50 _ p99 _ bad <<<"$result"
}

# Prints the resident memory of a process in KiB.
resident() { sed -n 's/^VmRSS:[ \t]*\([0-9]*\) kB/\1/p' "/proc/$1/status"; }

# Prints the processor time so far of the given processes and all children of the first, in
# milliseconds.
processor_time() {
  # Processes that exit in the meantime are others.
  { cat /proc/[0-9]*/stat 2>/dev/null || true; } | awk -v roots="$*" -v tick="$(getconf CLK_TCK)" '
    BEGIN { n = split(roots, list, " "); for (i = 1; i <= n; i++) is[list[i]] = 1 }
    {
      pid = $1
      sub(/^.*\) /, "")
      # The fields begin with state and parent; user and system time are the 12th and 13th of them.
      if (pid in is || $2 == list[1]) sum += $12 + $13
    }
    END { printf "%d\n", sum * 1000 / tick }'
}
