"""A restore to a point in time, beside the cluster, with clients that have seen more."""
import os
import shutil
import time
import uuid

from follower import Follower
from load import Client, Site
from running import ISSUER, Queries, Running
from stage import Program, free_port
from traffic import Record
from verdict import Result, hold_acknowledged, hold_sound


class Restored(Queries):
    """The restored databases, with an API and a worker on them. verdict.py takes it for a stage."""

    def __init__(self, running: Running, moment: str):
        self.programs, self.cluster = running.programs, self
        self.url = running.call("restore", moment, seconds=600).strip().splitlines()[-1]
        self.folder = running.folder / "restored-hearth"
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "outbox").mkdir(parents=True)
        port = running.call("url", "restored").split("port=")[1].split()[0]
        primary = running.port("primary")
        lines = []
        for line in (running.folder / "hearth.conf").read_text().splitlines():
            if line.startswith("HEARTH_READ_DATABASE_URL="):
                continue
            if line.startswith("HEARTH_OUTBOX_DIR="):
                line = f"HEARTH_OUTBOX_DIR={self.folder / 'outbox'}"
            lines.append(line.replace(f" port={primary} ", f" port={port} "))
        self.config = self.folder / "hearth.conf"
        self.config.touch(0o600)
        self.config.write_text("\n".join(lines) + "\n")
        self.site = Site(free_port(), ISSUER, running.sites[0].secret)
        settings = dict(line.split("=", 1) for line in lines if line.startswith("HEARTH_"))
        settings["PATH"] = os.environ["PATH"]
        of_others = {"HEARTH_ADMIN_DATABASE_URL", "HEARTH_MIGRATE_DATABASE_URL"}
        self.started = [
            self.program("hearth-api", settings | {
                "HEARTH_LISTEN": f"127.0.0.1:{self.site.port}"},
                of_others | {"HEARTH_WORKER_DATABASE_URL", "HEARTH_OUTBOX_DIR"}),
            self.program("hearth-worker", settings,
                         of_others | {"HEARTH_DATABASE_URL", "HEARTH_SERVER_DATABASE_URL"})]
        client = Client(self.site)
        try:
            running.eventually(
                "the API on the restored databases is ready",
                lambda: client.send("ready", "GET", "/readyz", None).is_done)
        except RuntimeError:
            self.stop()
            raise
        finally:
            client.close()

    def program(self, name: str, settings: dict[str, str], without: set[str]) -> Program:
        environment = {key: value for key, value in settings.items() if key not in without}
        return Program(self.programs / name, environment, self.folder / f"{name}.log")

    def sql(self, text: str) -> str:
        return self.psql(self.url, text)

    def stop(self) -> None:
        for program in self.started:
            program.kill()


class Device:
    """A person with a session and a copy of its family, and a relative who changes its name."""

    def __init__(self, site: Site):
        self.owner, self.other, self.client = str(uuid.uuid4()), str(uuid.uuid4()), Client(site)
        family = self.send("POST", "/api/family/create", self.owner, {})
        self.send("POST", "/api/family/code/join", self.other, {"familyCode": family["familyCode"]})
        opened = self.send("POST", "/api/auth/exchange", None, {"token": site.token(self.owner)})
        self.refresh_token = opened["refresh_token"]
        self.follower = Follower(site, self.owner, is_live=False)
        self.catch_up()

    def send(self, method: str, path: str, account: str | None, body: dict) -> dict:
        answer = self.client.send("device", method, path, account, body)
        if not answer.is_done:
            raise RuntimeError(f"{method} {path}: {answer.status} {answer.body}")
        return answer.body

    def catch_up(self) -> None:
        if not self.follower.catch_up():
            raise RuntimeError("the device did not catch up")

    def see(self, name: str) -> None:
        """Sees the relative's new name."""
        self.send("PATCH", "/api/me", self.other, {"fullName": name})
        self.catch_up()

    def move(self, site: Site) -> None:
        """Goes on with another server."""
        self.client = Client(site)
        self.follower.site, self.follower.client = site, Client(site)


def point_in_time(running: Running):
    """Families are renamed by mistake; the databases of the moment before are restored."""
    running.call("backup")
    device = Device(running.sites[0])
    mistake = f"Lost {uuid.uuid4()}"  # An earlier run's is still in the databases.
    time.sleep(5)
    moment = running.sql("SELECT clock_timestamp() AT TIME ZONE 'UTC' || 'Z'")
    until = time.time()
    # No more than these: their rows stay locked until the standby has the change.
    running.sql(f"UPDATE app.family_units SET family_name = '{mistake}' WHERE id IN "
                "(SELECT id FROM app.family_units ORDER BY created_at DESC LIMIT 1000)")
    device.see("Lost")
    time.sleep(5)
    return lambda result, record: hold_restored(
        result, running, record, device, moment, until, mistake)


def hold_restored(result: Result, running: Running, record: Record, device: Device, moment: str,
                  until: float, mistake: str) -> None:
    began = time.monotonic()
    restored = None
    try:
        restored = Restored(running, moment)
        result.notes.append(f"restored and serving in {time.monotonic() - began:.0f} s")
        before = [a for a in record.answers if a.is_done and a.ended < until - 0.1]
        own = Result()
        hold_acknowledged(own, restored, before)
        result.notes.append(f"{own.acknowledged} changes from before the moment")
        result.expect(len(before) > 0, "nothing was acknowledged before the moment")
        result.lost += own.lost
        lost = restored.number(
            f"SELECT count(*) FROM app.family_units WHERE family_name = '{mistake}'")
        result.expect(lost == 0, f"{lost} families have the name of the mistake")
        device.move(restored.site)
        for number in range(3):
            device.see(f"Since {number}")
        differences = device.follower.differences()
        result.expect(not differences, f"the device's copy differs in {differences[:3]}")
        refreshed = device.client.send(
            "refresh", "POST", "/api/auth/refresh", None, {"refresh_token": device.refresh_token})
        result.expect(refreshed.is_done, f"the session has ended: {refreshed.status}")
        running.eventually(
            "every e-mail was sent from the restored databases",
            lambda: restored.number("SELECT count(*) FROM jobs.live WHERE queue = 'mail'") == 0)
        hold_sound(own, restored)
        result.failures += own.failures
    finally:
        if restored:
            restored.stop()
        running.call("stop", "restored", fails=True)
