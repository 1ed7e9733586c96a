"""Hearth's programs around a database, for one drill."""
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from cluster import Account, Cluster, Pooler
from load import Answer, Client, Load, Site

ISSUER = "https://hearth.localhost/auth/v1"


class Settings:
    """State of all drills: programs, thoroughness, and a migrated database to copy."""

    def __init__(self, checkout: pathlib.Path, programs: pathlib.Path, postgres: pathlib.Path,
                 is_quick: bool, keep: bool, before: "Release | None" = None,
                 is_sabotaged: bool = False):
        self.checkout, self.programs, self.postgres = checkout, programs, postgres
        self.before = before
        self.is_quick, self.keep = is_quick, keep
        # If true, a drill disables the mechanism that it tests, to show that it notices.
        self.is_sabotaged = is_sabotaged
        self.account = Account()
        # A short path, because sockets need one; the servers' user can enter it.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-chaos-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.template = self.migrated()

    def migrated(self) -> Cluster:
        """A stopped server whose database hearth was created as an operator creates it."""
        cluster = Cluster(self.account, self.postgres, self.folder / "template", 5432).init().start()
        self.release.migrate(cluster)
        cluster.stop()
        return cluster

    @property
    def release(self) -> "Release":
        """The tested release."""
        return Release(self.programs, self.checkout / "sql" / "migrations")

    def destroy(self) -> None:
        self.template.destroy()
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)


@dataclasses.dataclass
class Release:
    """The programs of a release, and its migrations."""
    programs: pathlib.Path
    migrations: pathlib.Path

    def migrate(self, cluster: Cluster) -> None:
        for command, user in [("bootstrap", "postgres"), ("up", "hearth_migrator")]:
            done = subprocess.run(
                [self.programs / "hearth-migrate", command, "--dir", self.migrations,
                 "--database-url", cluster.url(user)], capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"hearth-migrate {command}: {done.stderr[-500:]}")


class Program:
    """One of Hearth's programs, and its log."""

    def __init__(self, path: pathlib.Path, environment: dict, log: pathlib.Path):
        self.path, self.environment, self.log = path, environment, log
        self.process = None
        self.start()

    def start(self) -> "Program":
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", str(self.path)], env=self.environment,
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        return self

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def text(self) -> str:
        return self.log.read_text(errors="replace")


class MailServer:
    """The misbehaving mail server of the tests, always on the same port."""

    def __init__(self, stage: "Stage"):
        self.folder = stage.folder / "mail"
        self.folder.mkdir(exist_ok=True)
        self.program = stage.settings.checkout / "Tests" / "MailSupport" / "smtp_server.py"
        self.port = free_port()
        self.process = None
        self.rounds = 0

    def start(self, *arguments: str) -> "MailServer":
        self.stop()
        # Each start has its own folder, because the server numbers its messages.
        self.rounds += 1
        folder = self.folder / str(self.rounds)
        folder.mkdir()
        self.process = subprocess.Popen(
            ["python3", str(self.program), str(folder), "--port", str(self.port), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()
        return self

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def messages(self) -> dict[str, list[str]]:
        """Ids of the arrived messages, by recipient."""
        return by_recipient(
            path for path in self.folder.glob("*/*") if path.suffix != ".part")


def by_recipient(paths) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        text = path.read_text(errors="replace")
        to = re.search(r"^To: (.*?)\s*$", text, re.M)
        identity = re.search(r"^Message-ID: (.*?)\s*$", text, re.M)
        found.setdefault(to.group(1) if to else "?", []).append(
            identity.group(1) if identity else "?")
    return found


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Stage:
    """A copy of the migrated database and its programs; all of them end with the block."""

    def __init__(self, settings: Settings, name: str, has_server: bool = True):
        self.settings = settings
        self.folder = settings.folder / name
        self.folder.mkdir()
        self.folder.chmod(0o755)
        self.random = random.Random()
        self.programs: list[Program] = []
        self.workers: list[Program] = []
        self.api: Program | None = None
        self.clusters: list[Cluster] = []
        self.pooler: Pooler | None = None
        self.load: Load | None = None
        self.secrets()
        self.mail = MailServer(self)
        self.site = Site(free_port(), ISSUER, (self.folder / "local.secret").read_bytes())
        self.cluster = self.add_cluster("a").copy(settings.template).start() if has_server else None

    def __enter__(self) -> "Stage":
        return self

    def __exit__(self, *_):
        if self.load:
            self.load.stop()
        for program in self.programs:
            program.kill()
        self.mail.stop()
        if self.pooler:
            self.pooler.destroy()
        for cluster in self.clusters:
            if self.settings.keep:
                cluster.stop()
            else:
                cluster.destroy()
        if not self.settings.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def secrets(self) -> None:
        for name in ["local.secret", "secret-key"]:
            path = self.folder / name
            path.write_text(os.urandom(32).hex())
            path.chmod(0o600)
        (self.folder / "issuers.json").write_text(json.dumps([{
            "issuer": ISSUER, "kind": "supabase", "audiences": ["authenticated"], "primary": True,
            "emailsConfirmed": True, "hs256SecretFile": "local.secret"}]))

    def add_cluster(self, name: str) -> Cluster:
        cluster = Cluster(
            self.settings.account, self.settings.postgres, self.folder / name,
            5432 + len(self.clusters))
        self.clusters.append(cluster)
        return cluster

    # Programs

    def environment(self, **more: str) -> dict:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
        return kept | {
            "HEARTH_SECRET_KEY_FILE": str(self.folder / "secret-key"),
            "HEARTH_PUBLIC_URL": f"http://127.0.0.1:{self.site.port}", "HEARTH_LOG_LEVEL": "info",
        } | more

    def run(self, name: str, log: str, release: Release | None = None, **more: str) -> Program:
        programs = (release or self.settings.release).programs
        program = Program(
            programs / name, self.environment(**more), self.folder / f"{log}.log")
        self.programs.append(program)
        return program

    def start_api(self, url: str | None = None, release: Release | None = None, name: str = "api",
                  **more: str) -> Program:
        self.api = self.run(
            "hearth-api", name, release, HEARTH_DATABASE_URL=url or self.cluster.url("hearth_api"),
            HEARTH_LISTEN=f"127.0.0.1:{self.site.port}", HEARTH_TRUSTED_PROXIES="127.0.0.1",
            HEARTH_ISSUERS_FILE=str(self.folder / "issuers.json"), **more)
        self.await_api()
        return self.api

    def await_api(self) -> None:
        client = Client(self.site)
        self.eventually(
            "hearth-api is ready", lambda: client.send("ready", "GET", "/readyz", None).is_done)
        client.close()

    def start_worker(self, url: str | None = None, release: Release | None = None,
                     **more: str) -> Program:
        """A worker that sends to the stage's mail server, unless `more` says otherwise."""
        if "HEARTH_OUTBOX_DIR" not in more:
            more |= {"HEARTH_SMTP_URL": f"smtp://127.0.0.1:{self.mail.port}",
                     "HEARTH_SMTP_TLS": "none", "HEARTH_MAIL_FROM": "Hearth <hearth@example.org>"}
        worker = self.run(
            "hearth-worker", f"worker{len(self.workers) + 1}", release,
            HEARTH_WORKER_DATABASE_URL=url or self.cluster.url("hearth_worker"), **more)
        self.workers.append(worker)
        return worker

    def start_load(self, **options) -> Load:
        self.load = Load(self.site, **options).start()
        return self.load

    def stop_load(self) -> list[Answer]:
        load, self.load = self.load, None
        return load.stop() if load else []

    def admin(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [self.settings.programs / "hearth-admin", *words], capture_output=True, text=True,
            cwd=self.settings.checkout,
            env=self.environment(
                HEARTH_ADMIN_DATABASE_URL=self.cluster.url("hearth_admin"), HEARTH_OPERATOR="drill"))

    # Waiting

    def eventually(self, what: str, holds, seconds: float = 60) -> float:
        """Waits until a condition holds, and returns that time."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise RuntimeError(f"not within {seconds:.0f} s: {what}")
            time.sleep(0.02)
        return time.time()

    def go_on(self, seconds: float) -> None:
        """Lets the load run for the given time."""
        time.sleep(seconds)

    def drain(self, seconds: float = 90) -> None:
        """Waits until no e-mail is left to be sent."""
        self.eventually(
            "every e-mail was sent",
            lambda: self.cluster.number("SELECT count(*) FROM jobs.live WHERE queue = 'mail'") == 0,
            seconds)

    def pause(self, program: Program, seconds: float) -> None:
        program.signal(signal.SIGSTOP)
        time.sleep(seconds)
        program.signal(signal.SIGCONT)
