"""The cluster of scripts/cluster, as the drills start, break and query it."""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(CHECKOUT / "scripts/proofs/chaos.d"))

from load import Site  # noqa: E402
from stage import by_recipient  # noqa: E402

ISSUER = "https://hearth.localhost/auth/v1"
NAME = "drills"
MEMBERS = ["postgres-1", "postgres-2", "postgres-3"]


class Queries:
    """SQL of one database, and hearth-admin on it."""
    programs: pathlib.Path
    config: pathlib.Path

    def sql(self, text: str) -> str:
        raise NotImplementedError

    def psql(self, url: str, text: str) -> str:
        done = subprocess.run(
            ["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d", url], input=text, text=True,
            capture_output=True, timeout=60, env=os.environ | {"PGCONNECT_TIMEOUT": "5"})
        if done.returncode != 0:
            raise RuntimeError(f"{text[:200]}: {done.stderr.strip()[-300:]}")
        return done.stdout.rstrip("\n")

    def number(self, text: str) -> int:
        return int(self.sql(text))

    def rows(self, text: str) -> list[list[str]]:
        answer = self.sql(text)
        return [line.split("|") for line in answer.split("\n")] if answer else []

    def admin(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [self.programs / "hearth-admin", "--config", self.config, *words],
            capture_output=True, text=True, cwd=CHECKOUT, timeout=120,
            env={"PATH": os.environ["PATH"], "HEARTH_OPERATOR": "drill"})


class Running(Queries):
    """A cluster that runs. The checks of verdict.py take it for a stage and for its server."""

    def __init__(self, programs: pathlib.Path, before: pathlib.Path | None = None):
        # `before` are the programs of an earlier release, if it is known.
        self.checkout, self.programs, self.before = CHECKOUT, programs, before
        self.folder = CHECKOUT / ".local" / f"cluster-{NAME}"
        self.config = self.folder / "hearth.conf"
        # What verdict.py looks at: the server, and programs that must not have ended.
        self.cluster = self

    def call(self, *words: str, fails: bool = False, seconds: float = 300) -> str:
        """Runs a command of scripts/cluster and returns its output."""
        done = subprocess.run(
            [CHECKOUT / "scripts/cluster", "--name", NAME, *words], capture_output=True, text=True,
            timeout=seconds, cwd=CHECKOUT, stdin=subprocess.DEVNULL)
        if done.returncode != 0 and not fails:
            raise RuntimeError(f"scripts/cluster {' '.join(words)}: {done.stderr.strip()[-500:]}")
        return done.stdout

    def start(self) -> None:
        self.call("start", "--bin", str(self.programs), seconds=600)
        text = (self.folder / "addresses").read_text()
        self.addresses = dict(line.split(" ") for line in text.splitlines())
        secret = (self.folder / "issuers/local.secret").read_bytes()
        self.sites = [Site(self.port(name), ISSUER, secret) for name in ("api-1", "api-2")]

    def port(self, name: str) -> int:
        return int(self.addresses[name].rpartition(":")[2])

    # Members

    def topology(self) -> dict[str, dict]:
        """What Patroni knows of each member, by name; empty while no member answers."""
        for member in MEMBERS:
            try:
                found = json.loads(self.get(f"{member}-rest", "/cluster", 2))
                return {one["name"]: one for one in found["members"]}
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                continue
        return {}

    def patroni_version(self, member: str) -> str:
        return json.loads(self.get(f"{member}-rest", "/patroni", 5))["patroni"]["version"]

    def get(self, name: str, path: str, seconds: float) -> bytes:
        """The body of a response with status 200; an OSError for others."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port(name), timeout=seconds)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if answer.status != 200:
            raise OSError(f"{name}: {path}: {answer.status}")
        return body

    def with_role(self, role: str) -> str | None:
        return next((n for n, one in self.topology().items() if one["role"] == role), None)

    def leader(self) -> str:
        return self.eventually("there is a primary", lambda: self.with_role("leader"))

    def standby(self) -> str:
        """The synchronous standby."""
        return self.eventually("there is a standby", lambda: self.with_role("sync_standby"))

    def is_whole(self, is_synchronous: bool = True) -> bool:
        """Whether all members run and follow one primary, and one is synchronous."""
        members = self.topology()
        roles = sorted(one["role"] for one in members.values())
        wanted = ["leader", "replica", "sync_standby" if is_synchronous else "replica"]
        return (roles == wanted
                and all(one["state"] in ("running", "streaming") for one in members.values())
                and len({one.get("timeline") for one in members.values()}) == 1
                and all(one.get("lag", 0) == 0 or one["role"] == "leader" or
                        isinstance(one["lag"], int) and one["lag"] < 1 << 20
                        for one in members.values()))

    def await_whole(self, is_synchronous: bool = True, seconds: float = 120) -> None:
        self.eventually("the cluster is whole", lambda: self.is_whole(is_synchronous), seconds)
        self.eventually("Hearth is ready", self.is_ready, seconds)

    def is_ready(self) -> bool:
        return all(map(self.is_part_ready, ("api-1", "api-2", "worker-1", "worker-2")))

    def is_part_ready(self, name: str) -> bool:
        try:
            self.get(f"{name}-metrics", "/readyz", 5)
        except (OSError, http.client.HTTPException):
            return False
        return True

    # Processes

    def walsenders(self, member: str) -> list[int]:
        """The processes by which a primary sends its log to the standbys."""
        rows = self.member_sql(member, "SELECT pid FROM pg_stat_replication")
        return [int(line) for line in rows.splitlines() if line]

    # SQL

    def member_sql(self, member: str, text: str) -> str:
        url = self.call("url", member).strip()
        return self.psql(url, text)

    def sql(self, text: str) -> str:
        url = self.call("url", MEMBERS[0]).strip()
        return self.psql(url.replace(
            f"port={self.port(MEMBERS[0])} ", f"port={self.port('primary')} "), text)

    # Hearth

    def messages(self) -> dict[str, list[str]]:
        return by_recipient((self.folder / "outbox").glob("*.eml"))

    def drain(self, seconds: float = 120) -> None:
        self.eventually(
            "every e-mail was sent",
            lambda: self.number("SELECT count(*) FROM jobs.live WHERE queue = 'mail'") == 0,
            seconds)

    def eventually(self, what: str, holds, seconds: float = 60):
        """Waits until a condition holds, and returns its value."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                value = holds()
            except (RuntimeError, subprocess.TimeoutExpired):
                # The primary may be away.
                value = None
            if value:
                return value
            if time.monotonic() > deadline:
                raise RuntimeError(f"not within {seconds:.0f} s: {what}")
            time.sleep(0.2)
