"""Backups taken under load are restored: earlier writes exist, links work, apps start over."""
import subprocess
import time
import uuid

from cluster import Cluster
from follower import Follower
from load import Answer, Client
from stage import Settings, Stage
from verdict import Result, hold_acknowledged, hold_mail, hold_sound


def run(settings: Settings) -> Result:
    result = Result()
    with Stage(settings, "backup") as stage:
        stage.mail.start()
        stage.start_api()
        stage.start_worker()
        stage.start_load()
        stage.go_on(3 if settings.is_quick else 10)
        for kind, take in [("pg_dump", dump), ("pg_basebackup", copy)]:
            links = [outstanding_link(stage) for _ in range(2)]
            device = Device(stage)
            with stage.load.lock:
                answers = list(stage.load.answers)
            began = time.monotonic()
            restored = take(stage, stage.add_cluster(kind.replace("_", "")))
            result.notes.append(f"{kind} and back {time.monotonic() - began:.1f} s")
            stage.go_on(1)
            device.see_what_is_lost()
            hold_restored(result, settings, stage, restored, answers, links, device, kind)
            restored.stop()
        stage.stop_load()
    return result


def dump(stage: Stage, restored: Cluster) -> Cluster:
    """Follows docs/operations.md: roles and their memberships, then the database."""
    tools, source = stage.settings.postgres, stage.cluster.url("postgres")
    roles = subprocess.run(
        [tools / "pg_dumpall", "--roles-only", "-d", source], check=True, capture_output=True).stdout
    file = stage.folder / "hearth.dump"
    subprocess.run([tools / "pg_dump", "-Fc", "-f", file, "-d", source], check=True)
    restored.init().start()
    target = restored.url("postgres", "postgres")
    # The superuser among them exists already.
    subprocess.run(
        [tools / "psql", "-X", "-q", "-d", target], input=roles, check=True, capture_output=True)
    subprocess.run(
        [tools / "pg_restore", "--exit-on-error", "--create", "-d", target, file], check=True)
    restored.sql("ANALYZE")
    return restored


def copy(stage: Stage, restored: Cluster) -> Cluster:
    stage.cluster.backup(restored.data)
    return restored.start()


def outstanding_link(stage: Stage) -> Answer:
    """An invitation by a link that nobody has opened yet."""
    client, owner = Client(stage.site), str(uuid.uuid4())
    for kind, path, body in [
        ("create", "/api/family/create", {"familyName": "The Terns"}),
        ("link", "/api/family/invite", {"role": "parent", "delivery": "link"}),
    ]:
        answer = client.send(kind, "POST", path, owner, body)
        if not answer.is_done:
            raise RuntimeError(f"{kind}: {answer.status} {answer.body}")
    return answer


class Device:
    """A device that follows a family during the backup, and then on the restored database."""

    def __init__(self, stage: Stage):
        self.owner, self.other = str(uuid.uuid4()), str(uuid.uuid4())
        self.client = Client(stage.site)
        family = self.send("POST", "/api/family/create", self.owner, {})
        self.send("POST", "/api/family/code/join", self.other, {"familyCode": family["familyCode"]})
        self.follower = Follower(stage.site, self.owner, is_live=False)
        self.follower.catch_up()

    def send(self, method: str, path: str, account: str, body: dict) -> dict:
        # Retried, because the backup may slow the server down; a repeated change does no harm.
        for _ in range(5):
            answer = self.client.send("device", method, path, account, body)
            if answer.is_done:
                return answer.body
        raise RuntimeError(f"{method} {path}: {answer.status} {answer.body}")

    def rename(self, account: str, name: str) -> None:
        self.send("PATCH", "/api/me", account, {"fullName": name})

    def see_what_is_lost(self) -> None:
        self.rename(self.other, "Lost")
        self.follower.catch_up()

    def hold(self, result: Result, stage: Stage, kind: str) -> None:
        """The versions of the restored family grow past those that the device has seen."""
        self.client = Client(stage.site)
        self.follower.site, self.follower.client = stage.site, Client(stage.site)
        for number in range(3):
            self.rename(self.owner, f"Since {number}")
        self.follower.catch_up()
        differences = self.follower.differences()
        result.expect(not differences, f"{kind}: a device's copy differs in {differences[:3]}")


def hold_restored(result: Result, settings: Settings, original: Stage, restored: Cluster,
                  answers: list[Answer], links: list[Answer], device: Device, kind: str) -> None:
    """Runs Hearth on the restored database, beside the running one."""
    with Stage(settings, f"restored_{restored.folder.name}", has_server=False) as stage:
        stage.cluster = restored
        for name in ["local.secret", "secret-key"]:
            (stage.folder / name).write_bytes((original.folder / name).read_bytes())
        stage.site.secret = original.site.secret
        stage.mail.start()
        stage.start_api()
        stage.start_worker()
        stage.drain()
        hold_acknowledged(result, stage, answers)
        arrived = original.mail.messages()
        again = stage.mail.messages()
        # E-mails that were not recorded as sent when the backup began are also sent from the copy.
        result.notes.append(f"{kind}: {len(again)} e-mails sent from the copy")
        for to, ids in again.items():
            arrived.setdefault(to, []).extend(ids)
        before = result.duplicates
        hold_mail(result, answers, arrived)
        result.duplicates = before
        follow(result, stage, links)
        device.hold(result, stage, kind)
        hold_sound(result, stage)


def follow(result: Result, stage: Stage, links: list[Answer]) -> None:
    client = Client(stage.site)
    for link in links:
        token = link.body["inviteUrl"].partition("token=")[2]
        seen = client.send("preview", "GET", f"/api/family/invite/{token}", None)
        result.expect(seen.is_done, f"the link's preview is {seen.status} {seen.body}")
        taken = client.send(
            "accept", "POST", f"/api/family/invite/{token}/accept", str(uuid.uuid4()), {})
        result.expect(taken.is_done, f"the link's acceptance is {taken.status} {taken.body}")
