# shellcheck shell=bash
# Functions that the scripts share. Sourced, never run; the caller has set -euo pipefail.

# Path of the checkout without symbolic links, so that each checkout has one name.
checkout=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

# Programs that Package.swift builds for use.
# shellcheck disable=SC2034 # used by scripts that source this file
programs=(hearth-api hearth-worker hearth-admin hearth-console hearth-migrate)

# Messages for people go to standard error; standard output carries only results.
say() { printf '%s\n' "$*" >&2; }
step() { printf '==> %s\n' "$*" >&2; }
warn() { printf '%s: warning: %s\n' "${0##*/}" "$*" >&2; }

# fail EXIT_CODE WORDS...
fail() {
  local code=$1
  shift
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit "$code"
}

# Prints the comment at the top of a script, which is its help.
show_help() {
  awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$1"
}

# Runs a command whose output matters only if it fails. For example, hearth-migrate reports that
# roles have no passwords, which is intended if a folder's permissions protect the socket.
quietly() {
  local code=0 words
  words=$("$@" 2>&1) || code=$?
  if [ "$code" -ne 0 ]; then
    say "$words"
    fail "$code" "'${1##*/} ${2:-}' failed"
  fi
}

is_root() { [ "$(id -u)" -eq 0 ]; }

# Runs a command with the rights to install packages.
as_root() {
  if is_root; then
    "$@"
  else
    sudo -- "$@"
  fi
}

# Percent-encodes a word for a URL.
url_encode() {
  local LC_ALL=C word=$1 encoded='' index byte
  for ((index = 0; index < ${#word}; index++)); do
    byte=${word:index:1}
    case $byte in
      [A-Za-z0-9._~-]) encoded+=$byte ;;
      *)
        printf -v byte '%%%02X' "'$byte"
        # printf shows bytes beyond ASCII as large numbers, of which the last two digits count.
        encoded+=%${byte: -2}
        ;;
    esac
  done
  printf '%s' "$encoded"
}

# Removes libpq's variables (PGHOST, PGOPTIONS, ...) from the environment: they are meant for
# another server than the embedded one.
forget_libpq_settings() {
  local name
  for name in "${!PG@}"; do unset "$name"; done
}

# Prints eight digits that identify this checkout in paths outside of it.
checkout_id() {
  local sum
  sum=$(printf '%s' "$checkout" | sha256sum)
  printf '%s' "${sum:0:8}"
}

# Removes the caller's own Hearth settings from the environment, except HEARTH_POSTGRES_BIN, which
# selects the installation of PostgreSQL.
forget_hearth_settings() {
  local name
  for name in "${!HEARTH_@}"; do
    if [ "$name" != HEARTH_POSTGRES_BIN ]; then unset "$name"; fi
  done
}

# Prints the folder of PostgreSQL's programs: of the given version, or with '' of the newest
# installed one. If HEARTH_POSTGRES_BIN names a folder, only that folder is considered.
postgres_bin() {
  local wanted=$1 folder version best='' best_version=14
  local -a folders=(/usr/lib/postgresql/*/bin /usr/pgsql-*/bin)
  if [ -n "${HEARTH_POSTGRES_BIN:-}" ]; then folders=("$HEARTH_POSTGRES_BIN"); fi
  for folder in "${folders[@]}"; do
    if [ ! -x "$folder/initdb" ] || [ ! -x "$folder/postgres" ]; then continue; fi
    version=$("$folder/postgres" --version | sed -n 's/^[^0-9]*\([0-9]*\).*/\1/p')
    [ -n "$version" ] || continue
    if [ -n "$wanted" ]; then
      [ "$version" = "$wanted" ] || continue
    fi
    if [ "$version" -gt "$best_version" ]; then
      best=$folder best_version=$version
    fi
  done
  [ -n "$best" ] || return 1
  printf '%s' "$best"
}

# Runs Swift with its locks, temporary files and caches in the checkout, because it leaves them
# behind.
swift() {
  mkdir -p -- "$checkout/.local/tmp"
  find "$checkout/.local/tmp" -mindepth 1 -maxdepth 1 -mmin +1440 -exec rm -rf -- {} +
  TMPDIR=$checkout/.local/tmp XDG_CACHE_HOME=$checkout/.local/cache command swift "$@"
}

# build_only_tests_of ARGUMENTS...: sets HEARTH_TEST_TARGETS to the test targets that declare the
# suites named by --filter, so that only these targets are built. Without --filter, or if a name is
# neither a suite nor a target, all targets are built.
build_only_tests_of() {
  local filter='' name targets='' found
  unset HEARTH_TEST_TARGETS
  while [ $# -gt 0 ]; do
    case $1 in
      --filter) filter+="|${2:-}" && shift ;;
      --filter=*) filter+="|${1#--filter=}" ;;
    esac
    shift
  done
  [ -n "$filter" ] || return 0
  local -a names
  IFS='|' read -r -a names <<<"${filter#|}"
  for name in "${names[@]}"; do
    name=${name#^}
    name=${name%%[/.]*}
    [[ $name =~ ^[A-Za-z0-9]+$ ]] || return 0
    found=$(if [ -d "Tests/$name" ]; then printf '%s\n' "$name"; else
      grep -rlE "^(@Suite.* )?(struct|final class|extension) [A-Za-z0-9]*$name" Tests --include='*.swift' |
        cut -d / -f 2 | sort -u
    fi) || true
    [ -n "$found" ] || return 0
    targets+=" $found"
  done
  HEARTH_TEST_TARGETS=$(xargs -n 1 <<<"$targets" | sort -u | paste -sd , -)
  export HEARTH_TEST_TARGETS
}

# python_tools FOLDER REQUIREMENTS: installs packages from PyPI into a virtual environment in FOLDER,
# in the versions of a file, unless they are there. Returns 1 if that fails.
python_tools() {
  local checksum
  checksum=$(sha256sum <"$2")
  if [ -f "$1/installed" ] && [ "$(cat -- "$1/installed")" = "$checksum" ]; then return 0; fi
  [ -x "$1/bin/python" ] || python3 -m venv "$1" || return 1
  "$1/bin/python" -m pip install -q --disable-pip-version-check -r "$2" >&2 || return 1
  printf '%s\n' "$checksum" >"$1/installed"
}

# Succeeds if tsc is of the release that compiles clients/typescript/dist. Releases print modules
# differently, so dist is written and compared only by this one.
has_tsc_of_dist() { [[ $(tsc --version 2>/dev/null) == *' 4.8.'* ]]; }

# Adds a Swift toolchain in a usual folder to the PATH, unless swift is on the PATH already.
find_swift() {
  local folder
  type -P swift >/dev/null && return 0
  for folder in /opt/swift/usr/bin /usr/share/swift/usr/bin "${HOME:-/root}/.local/share/swiftly/bin" \
    /opt/swift*/usr/bin; do
    if [ -x "$folder/swift" ]; then
      PATH=$folder:$PATH
      export PATH
      return 0
    fi
  done
  return 1
}

# Writes 32 random bytes, as text, to a file that only its owner can read. An existing file stays.
make_secret() {
  if [ -s "$1" ]; then return 0; fi
  mkdir -p -- "${1%/*}"
  # Renamed when complete, so that no partial file remains.
  (umask 077 && head -c 32 /dev/urandom | base64 -w 0 | tr '+/' '-_' >"$1.new")
  mv -- "$1.new" "$1"
}

# Writes a local issuer to the folder, for which hearth-admin can sign tokens: issuers.json and the
# secret that it names. Existing files stay.
make_local_issuer() {
  make_secret "$1/local.secret"
  if [ -f "$1/issuers.json" ]; then return 0; fi
  cat >"$1/issuers.json.new" <<'JSON'
[
  {
    "issuer": "https://hearth.localhost/auth/v1",
    "kind": "supabase",
    "audiences": ["authenticated"],
    "primary": true,
    "emailsConfirmed": true,
    "hs256SecretFile": "local.secret"
  }
]
JSON
  mv -- "$1/issuers.json.new" "$1/issuers.json"
}

# make_signing_keys FILE HEARTH_ADMIN: creates the keys of Hearth's own tokens. Existing keys stay.
make_signing_keys() {
  if [ -s "$1" ]; then return 0; fi
  mkdir -p -- "${1%/*}"
  "$2" keys create "$1" >/dev/null
}

# Prints the host of HOST:PORT to connect to: for an address that stands for all, this machine.
host_of() {
  local host=${1%:*}
  host=${host#[}
  host=${host%]}
  case $host in 0.0.0.0 | localhost) host=127.0.0.1 ;; ::) host=::1 ;; esac
  printf '%s' "$host"
}

# Succeeds if something listens at HOST:PORT.
is_taken() {
  # shellcheck disable=SC2016 # the inner shell's arguments
  timeout 5 bash -c 'exec 7<>"/dev/tcp/$0/$1"' "$(host_of "$1")" "${1##*:}" 2>/dev/null
}

# Prints a port of this machine on which nothing listens.
free_port() {
  python3 -c \
    'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# http HOST:PORT METHOD PATH TOKEN BODY: sends a request, and sets http_status and http_body. TOKEN
# and BODY may be ''. It needs no tool besides bash and coreutils.
http() {
  local answer
  { exec 7<>"/dev/tcp/$(host_of "$1")/${1##*:}"; } 2>/dev/null || return 1
  printf '%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' "$2" "$3" >&7
  if [ -n "$4" ]; then printf 'Authorization: Bearer %s\r\n' "$4" >&7; fi
  printf 'Content-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' "${#5}" "$5" >&7
  # A response that was cut off is an error, because it has no status.
  answer=$(timeout "${http_seconds:-30}" cat <&7 2>/dev/null) || true
  exec 7>&-
  http_status=$(sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' <<<"$answer")
  # shellcheck disable=SC2034 # for callers
  http_body=${answer#*$'\r\n\r\n'}
  [ -n "$http_status" ]
}

# wait_until_ready HOST:PORT PID LOG: waits until a server in the background is ready. Fails after a
# minute, or when the process exits.
wait_until_ready() {
  local end=$((SECONDS + 60)) answer='no answer'
  http_status=''
  until http "$1" GET /readyz '' '' && [ "$http_status" = 200 ]; do
    kill -0 "$2" 2>/dev/null || fail 70 "the server at $1 exited: $(cat "$3")"
    if [ -n "$http_status" ]; then answer="$http_status $http_body"; fi
    [ $SECONDS -lt $end ] || fail 70 "the server at $1 is not ready: $answer"
    sleep 0.1
  done
}

# make_template BIN INSTANCE: creates the database hearth_template with all migrations, as an
# operator creates Hearth's database.
make_template() {
  quietly "$1/hearth-migrate" bootstrap --dir sql/migrations \
    --database-url "$(scripts/postgres url -d hearth_template "$2")"
  "$1/hearth-migrate" up --dir sql/migrations \
    --database-url "$(scripts/postgres url -d hearth_template -u hearth_migrator "$2")" >&2
}

# schema_of_template BIN INSTANCE [--check]: writes sql/schema.sql, or checks it.
schema_of_template() {
  "$1/hearth-migrate" schema --dir sql/migrations --output sql/schema.sql \
    --pg-dump "$(postgres_bin '')/pg_dump" "${@:3}" \
    --admin-url "$(scripts/postgres url "$2")" \
    --database-url "$(scripts/postgres url -d hearth_template -u hearth_migrator "$2")"
}

# Prints the median of the numbers in a file.
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# rights_of_template BIN INSTANCE: writes sql/rights.txt, the roles and rights that the migrations
# make.
rights_of_template() {
  local lines
  lines=$(HEARTH_ADMIN_DATABASE_URL=$(scripts/postgres url -d hearth_template -u hearth_admin "$2") \
    "$1/hearth-admin" rights)
  {
    echo "# What the migrations make of roles, owners, row-level security and grants."
    echo "# Written by scripts/update-schema; 'hearth-admin doctor' holds a database against it."
    printf '%s\n' "$lines"
  } >sql/rights.txt
}

# list_repeatable_files BIN: writes the Swift list of the files in sql/functions that the programs
# need.
list_repeatable_files() {
  local file lines
  file=$(find Sources -name RepeatableFiles+List.swift)
  lines=$("$1/hearth-migrate" checksums --dir sql/migrations)
  {
    echo "// Written by scripts/update-schema."
    echo
    echo "extension RepeatableFiles {"
    echo "    /// SHA-256 and name of each file, as \`hearth-migrate checksums\` prints them."
    echo '    static let list = """'
    printf '%s\n' "$lines" | sed 's/^/        /'
    echo '        """'
    echo "}"
  } >"$file"
}
