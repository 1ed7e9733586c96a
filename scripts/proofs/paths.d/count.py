"""Sends requests to an API with counters, and prints as JSON the functions that each entered.

LLVM keeps the counters in the file of the profile while the program runs. Copies of the file from
before and after a request show which functions the request entered.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

# Numbers of requests: of the warm-up, which fills caches and prepares statements, and counted.
WARM = 4
COUNTED = 6
RECONNECT_SECONDS = 60

DEFINITION = re.compile(
    r"^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) (\w+\.\w+)\s*\(", re.IGNORECASE | re.MULTILINE)


class Site:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.address = f"http://127.0.0.1:{options.port}"

    def token(self, name: str, role: str) -> str:
        """A token for a person, who has an account from then on."""
        command = [self.options.admin, "user", "token", "--email", f"{name}@example.com",
                   "--name", name.title(), "--role", role]
        made = subprocess.run(
            command, check=True, capture_output=True, text=True,
            env={"HEARTH_ISSUERS_FILE": self.options.issuers, "LLVM_PROFILE_FILE": "/dev/null"})
        token = made.stdout.strip()
        self.send("GET", "/api/me", token)
        return token

    def send(self, method: str, path: str, token: str, body: dict | None = None) -> dict:
        request = urllib.request.Request(
            self.address + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path} was answered {error.code}: {error.read().decode()}")

    def await_ready(self) -> None:
        latest = time.monotonic() + RECONNECT_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{self.address}/readyz", timeout=60).close()
                return
            except urllib.error.HTTPError as error:
                if time.monotonic() > latest:
                    sys.exit(f"the API does not become ready: {error.read().decode()}")
            time.sleep(0.1)

    def rows(self, statement: str, database: str | None = None) -> list[list[str]]:
        printed = subprocess.run(
            [self.options.psql, "-XAtq", "-F", "\t", "-c", statement,
             database or self.options.database],
            check=True, capture_output=True, text=True).stdout
        return [line.split("\t") for line in printed.splitlines()]

    def statements(self) -> tuple[int, int]:
        """Numbers of statements so far: sent by the API, and run within functions."""
        [[sent, inner]] = self.rows(
            "SELECT coalesce(sum(s.calls) FILTER (WHERE s.toplevel), 0),"
            " coalesce(sum(s.calls) FILTER (WHERE NOT s.toplevel), 0)"
            " FROM pg_stat_statements AS s JOIN pg_database AS d ON d.oid = s.dbid"
            " WHERE d.datname = 'hearth'", self.options.statements)
        return int(sent), int(inner)


class Profile:
    """Current counters of entries, by function."""

    def __init__(self, options: argparse.Namespace, folder: pathlib.Path):
        self.options = options
        self.folder = folder
        self.copies = 0

    def copy(self) -> pathlib.Path:
        self.copies += 1
        copy = self.folder / f"{self.copies}.profraw"
        shutil.copyfile(self.options.profile, copy)
        return copy

    def counts(self, copy: pathlib.Path) -> dict[tuple[str, str], int]:
        """By file and function; the file as its path in the tree."""
        merged = copy.with_suffix(".profdata")
        subprocess.run(
            [f"{self.options.llvm}/llvm-profdata", "merge", "-o", merged, copy], check=True)
        exported = subprocess.run(
            [f"{self.options.llvm}/llvm-cov", "export", "-instr-profile", merged,
             "-skip-expansions", self.options.program],
            check=True, capture_output=True).stdout
        merged.unlink()
        copy.unlink()
        found = {}
        sources = f"{self.options.tree}/Sources/"
        for function in json.loads(exported)["data"][0]["functions"]:
            file = function["filenames"][0]
            if file.startswith(sources):
                name = function["name"].rsplit(":", 1)[-1]
                found[file.removeprefix(f"{self.options.tree}/"), name] = function["count"]
        return found


def entered(
    site: Site, profile: Profile, requests: list
) -> tuple[list[tuple[str, str]], list[int]]:
    """The functions that all of the requests enter, with their files, and the statements of the
    cheapest one: in others the API's own threads run statements too."""
    pairs = []
    run = []
    for request in requests:
        begun = site.statements()
        before = profile.copy()
        request()
        pairs.append((before, profile.copy()))
        ended = site.statements()
        run.append([ended[0] - begun[0], ended[1] - begun[1]])
    common = None
    for before, after in pairs:
        old, new = profile.counts(before), profile.counts(after)
        grown = {place for place, count in new.items() if count > old.get(place, 0)}
        common = grown if common is None else common & grown
    return sorted(common), min(run)


def calls(site: Site) -> dict[str, int]:
    """Calls of each SQL function so far.

    A session reports its counts late, but at the latest when it ends: so the API's are ended.
    """
    ended = site.rows("SELECT pg_terminate_backend(a.pid, 10000) FROM pg_stat_activity AS a"
                      " WHERE a.usename = 'hearth_api'")
    if ["f"] in ended:
        sys.exit("a session of hearth_api does not end")
    rows = site.rows(
        "SELECT s.schemaname || '.' || s.funcname, sum(s.calls) FROM pg_stat_user_functions AS s"
        " GROUP BY 1")
    site.await_ready()
    return {name: int(count) for name, count in rows}


def defined(tree: pathlib.Path) -> dict[str, list[str]]:
    """The applied files that define each function."""
    places: dict[str, list[str]] = {}
    for file in [*sorted(tree.glob("sql/migrations/*.sql")), *sorted(tree.glob("sql/functions/*.sql"))]:
        for name in sorted(set(DEFINITION.findall(file.read_text()))):
            places.setdefault(name.lower(), []).append(str(file.relative_to(tree)))
    return places


def report(site: Site, profile: Profile, requests: list) -> dict:
    before = calls(site)
    for request in requests[:WARM]:
        request()
    functions, statements = entered(site, profile, requests[WARM:])
    after = calls(site)
    places = defined(pathlib.Path(site.options.tree))
    return {
        "swift": {file: sorted(name for place, name in functions if place == file)
                  for file in sorted({file for file, _ in functions})},
        "sql": {name: places.get(name, []) for name, count in sorted(after.items())
                if count - before.get(name, 0) >= len(requests)},
        "statements": statements,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ["tree", "profile", "program", "admin", "issuers", "port", "llvm", "psql", "database",
                 "statements"]:
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    site = Site(options)
    owner = site.token("owner", "parent")
    family = site.send("POST", "/api/family/create", owner, {})
    for number in range(3):
        site.send("POST", "/api/family/managed", owner,
                  {"familyId": family["familyId"], "displayName": f"Child {number}"})
    # A family has few slots, so each person joins another family.
    joins = []
    for number in range(WARM + COUNTED):
        host = site.send("POST", "/api/family/create", site.token(f"host{number}", "parent"), {})
        joins.append((site.token(f"guest{number}", "parent"), host["familyCode"]))
    founders = [site.token(f"founder{number}", "parent") for number in range(WARM + COUNTED)]
    invited = []
    for number in range(WARM + COUNTED):
        host = site.token(f"inviter{number}", "parent")
        site.send("POST", "/api/family/create", host, {})
        guest = site.token(f"invited{number}", "parent")
        invitation = site.send("POST", "/api/family/invite", host,
                               {"email": f"invited{number}@example.com", "role": "parent"})
        invited.append((guest, invitation["invitationId"]))

    def read() -> None:
        site.send("GET", f"/api/family/members?familyId={family['familyId']}", owner)

    def join(token: str, code: str):
        return lambda: site.send("POST", "/api/family/code/join", token, {"familyCode": code})

    def create(token: str):
        return lambda: site.send("POST", "/api/family/create", token, {})

    def accept(token: str, invitation: str):
        return lambda: site.send("POST", f"/api/me/invitations/{invitation}/accept", token)

    with tempfile.TemporaryDirectory() as folder:
        profile = Profile(options, pathlib.Path(folder))
        counted = {
            "GET /api/family/members": report(site, profile, [read] * (WARM + COUNTED)),
            "POST /api/family/code/join": report(
                site, profile, [join(token, code) for token, code in joins]),
            "POST /api/family/create": report(
                site, profile, [create(token) for token in founders]),
            "POST .../:id/accept": report(
                site, profile, [accept(token, invitation) for token, invitation in invited]),
        }
    json.dump(counted, sys.stdout, indent=1)


main()
