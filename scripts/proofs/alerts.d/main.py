"""Breaks Hearth and waits for Prometheus's alerts. Started by scripts/proofs/alerts."""
import argparse
import json
import pathlib
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE.parent / "chaos.d"), str(HERE.parent / "bench.d")]

from console import Browser  # noqa: E402
from load import Client, address  # noqa: E402
from stage import Settings, Stage, free_port  # noqa: E402

LIMIT_SECONDS = 300
SOUND_SECONDS = 120
# Seconds within which the console's overview names a fault that a worker has met.
OVERVIEW_SECONDS = 60


class Prometheus:
    """Debian's Prometheus with the example configuration, for the given addresses."""

    def __init__(self, folder: pathlib.Path, targets: dict[str, str]):
        folder.mkdir()
        deployed = ROOT / "deploy" / "prometheus"
        configuration = yaml.safe_load((deployed / "prometheus.yml").read_text())
        configuration["rule_files"] = [
            str(deployed / name) for name in configuration["rule_files"]]
        for job in configuration["scrape_configs"]:
            job["static_configs"] = [{"targets": [targets[job["job_name"]]]}]
        path = folder / "prometheus.yml"
        path.write_text(yaml.safe_dump(configuration))
        self.port = free_port()
        with open(folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", "prometheus", f"--config.file={path}",
                 f"--storage.tsdb.path={folder / 'data'}",
                 f"--web.listen-address=127.0.0.1:{self.port}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def ask(self, path: str) -> dict:
        address = f"http://127.0.0.1:{self.port}/api/v1/{path}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            return json.load(answer)["data"]

    def is_reading(self) -> bool:
        """Whether every target was read."""
        try:
            targets = self.ask("targets?state=active")["activeTargets"]
        except OSError:
            return False
        return bool(targets) and all(target["health"] == "up" for target in targets)

    def firing(self) -> set[str]:
        """The alerts that fire, with the queue if they name one."""
        return {
            " ".join([alert["labels"]["alertname"]]
                     + [alert["labels"][name] for name in ("queue",) if name in alert["labels"]])
            for alert in self.ask("alerts")["alerts"] if alert["state"] == "firing"}

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


class Proof:
    """A running Hearth, its Prometheus, and the results so far."""

    def __init__(self, stage: Stage):
        self.stage = stage
        self.metrics_port = free_port()
        self.is_sound = True
        stage.mail.start()
        stage.start_api()
        self.start_worker()
        self.prometheus = Prometheus(
            stage.folder / "prometheus",
            {"hearth-api": f"127.0.0.1:{stage.site.port}",
             "hearth-worker": f"127.0.0.1:{self.metrics_port}"})
        stage.eventually("Prometheus reads all metrics", self.prometheus.is_reading, 60)
        self.operator = self.start_console()

    def start_console(self) -> Browser:
        """Starts a console, and signs a viewer in to it."""
        port, cluster = free_port(), self.stage.cluster
        site = f"http://localhost:{port}"
        self.stage.run(
            "hearth-console", "console", HEARTH_CONSOLE_LISTEN=f"127.0.0.1:{port}",
            HEARTH_CONSOLE_PUBLIC_URL=site,
            HEARTH_ADMIN_DATABASE_URL=cluster.url("hearth_admin"),
            HEARTH_VIEWER_DATABASE_URL=cluster.url("hearth_viewer"))
        self.stage.eventually("hearth-console is ready", lambda: is_ready(port))
        account = str(uuid.uuid4())
        # The first request with a token creates its account.
        client = Client(self.stage.site)
        self.stage.eventually(
            "an account", lambda: client.send("me", "GET", "/api/me", account).is_done)
        client.close()
        self.administer("operator", "add", address(account), "--role", "viewer")
        # hearth-admin does not know the console's port.
        link = urllib.parse.urlsplit(self.administer("operator", "passkey", address(account)))
        return Browser(f"{site}{link.path}?{link.query}")

    def administer(self, *words: str) -> str:
        """What hearth-admin prints."""
        done = self.stage.admin(*words)
        if done.returncode != 0:
            raise RuntimeError(f"hearth-admin {' '.join(words)}: {done.stderr}")
        return done.stdout.strip()

    def overview_has(self, words: str) -> bool:
        answer = self.operator.request("GET", "/")
        return words in answer.read().decode() and answer.status == 200

    def start_worker(self) -> None:
        self.stage.start_worker(HEARTH_METRICS_LISTEN=f"127.0.0.1:{self.metrics_port}")

    def tell(self, name: str, alert: str, words: str) -> None:
        print(f"{name:<10} {alert:<22} {words}", flush=True)

    def fail(self, name: str, alert: str, words: str) -> None:
        self.is_sound = False
        self.tell(name, alert, f"FAILED: {words}")

    def nothing_fires(self) -> None:
        deadline = time.monotonic() + SOUND_SECONDS
        while time.monotonic() < deadline:
            firing = self.prometheus.firing()
            if firing:
                return self.fail("nothing", "none", f"these fire: {', '.join(sorted(firing))}")
            time.sleep(1)
        self.tell("nothing", "none", f"none fires for {SOUND_SECONDS} s")

    def breaks(self, name: str, alert: str, damage: Callable, repair: Callable,
               met: str = "", words: str = "") -> None:
        """Does damage, waits for the alert, repairs, and waits for its end.

        met: A query whose number is above 0 once a worker has met the fault; within a minute after
        that, the console's overview must have the words.
        """
        conditions: list[Callable[[], bool]] = [lambda: alert in self.prometheus.firing()]
        if met:
            conditions += [lambda: self.stage.cluster.number(met) > 0,
                           lambda: self.overview_has(words)]
        damage()
        fires, *seen = self.seconds_until(*conditions)
        others = ", ".join(sorted(self.prometheus.firing() - {alert}))
        repair()
        if fires is None:
            return self.fail(name, alert, f"does not fire within {LIMIT_SECONDS} s")
        ends, = self.seconds_until(lambda: not self.prometheus.firing())
        if ends is None:
            return self.fail(
                name, alert, f"still firing: {', '.join(sorted(self.prometheus.firing()))}")
        self.tell(name, alert, f"fires after {fires:.0f} s, ends {ends:.0f} s after the repair"
                  + (f"; also fired: {others}" if others else ""))
        if seen:
            self.judge_overview(name, *seen)

    def judge_overview(self, name: str, met: float | None, told: float | None) -> None:
        """Prints the seconds until a worker has met a fault and until the overview names it."""
        if met is None:
            return self.fail(name, "console", f"no worker meets it within {LIMIT_SECONDS} s")
        when = "never" if told is None else f"{max(0, told - met):.0f} s later"
        is_late = told is None or told - met > OVERVIEW_SECONDS
        (self.fail if is_late else self.tell)(
            name, "console", f"a worker meets it after {met:.0f} s, the overview names it {when}")

    def seconds_until(self, *conditions: Callable[[], bool]) -> list[float | None]:
        """The seconds until each condition holds for the first time; None if one never does."""
        began, found = time.monotonic(), [None] * len(conditions)
        while True:
            for index, holds in enumerate(conditions):
                if found[index] is None and holds():
                    found[index] = time.monotonic() - began
            if None not in found or time.monotonic() - began > LIMIT_SECONDS:
                return found
            time.sleep(0.5)

    # Faults

    def mail(self) -> None:
        def damage():
            self.stage.mail.start("--at", "mail=530 5.7.0 Authentication required")
            self.invite()

        self.breaks(
            "mail", "HearthQueuePaused mail", damage, lambda: self.stage.mail.start(),
            "SELECT count(*) FROM jobs.paused_queues WHERE queue = 'mail'",
            ">mail</a> has been paused since")
        self.stage.drain(120)
        if not self.stage.mail.messages():
            self.fail("mail", "HearthQueuePaused mail", "the invitation did not arrive")

    def mail_away(self) -> None:
        """The mail server is gone, so that no queue is paused: every e-mail fails by itself."""
        def damage():
            self.stage.mail.stop()
            self.invite()

        def repair():
            # The first e-mail may wait for minutes until it is tried again.
            self.stage.mail.start()
            self.invite()

        # Three failed attempts at e-mails that are still to be sent make a queue a failing one.
        self.breaks(
            "mail-away", "HearthMailNotAccepted", damage, repair,
            """
            SELECT (count(*) >= 3)::integer
            FROM jobs.attempts AS a JOIN jobs.live AS j ON j.id = a.job
            WHERE a.queue = 'mail' AND a.attempt > 0
            """, ">mail</a> succeeds.")

    def worker(self) -> None:
        self.breaks("worker", "HearthNoWorker", self.stage.workers[-1].kill, self.start_worker)

    def database(self) -> None:
        cluster = self.stage.cluster
        self.breaks("database", "HearthDatabaseAway", cluster.stop, cluster.start)

    def invite(self) -> None:
        client, owner = Client(self.stage.site), str(uuid.uuid4())
        for path, body in [("create", {"familyName": "The Terns"}),
                           ("invite", {"email": "aunt@example.org", "role": "parent"})]:
            answer = client.send(path, "POST", f"/api/family/{path}", owner, body)
            if not answer.is_done:
                raise RuntimeError(f"{path}: {answer.status} {answer.body}")
        client.close()


def is_ready(port: int) -> bool:
    """Whether a program on this machine can work."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10):
            return True
    except OSError:
        return False


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--postgres", type=pathlib.Path, required=True)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    settings = Settings(ROOT, options.bin, options.postgres, False, options.keep)
    try:
        with Stage(settings, "alerts") as stage:
            proof = Proof(stage)
            try:
                proof.tell("fault", "alert", "result")
                proof.nothing_fires()
                for name in options.names or ["mail", "mail-away", "worker", "database"]:
                    getattr(proof, name.replace("-", "_"))()
            finally:
                proof.prometheus.stop()
            return 0 if proof.is_sound else 1
    finally:
        settings.destroy()
        if options.keep:
            print(f"everything is kept in {settings.folder}", file=sys.stderr)


sys.exit(main())
